/* Conditions of every form, most of them over several lines, in and around macros. */
#include <stdio.h>
#define FLAG(x) ((x) ? 3 : 0)
#define TWO 2
#define LIKELY(x) __builtin_expect(!!(x), 1)
struct s { int f; _Bool b; };
int f(int a, int b, struct s *p) {
  if (!FLAG(a)) return 1;
  if (TWO == b && !FLAG(b)) return 2;
  if (p->f
      & 1) return 3;
  if (LIKELY(a > 3 &&
      b)) return 4;
  if (p->b && (a == 1 ||
     b == 2) && (!p ||
     !(a))) return 5;
  do { a++; } while (a < 10 &&
     !(b ||
       p->f));
  for (int i = 0; i < 3 && (a ||
     b); i++) a--;
  int z = a ? b
     : p->f ? 2 :
     3;
  if ((a ? b : p->f) > 0) return 6;
  if (a ? b : p->f) return 6;
  if (({ int q = a; if (q == 3) q++; q; })) return 7;
  if ((a++, b)) return 8;
  while ((a = getchar()) != EOF && a != 'x') z++;
  if (!a == b) return 9;
  switch (a) { case 1: case 2: return 2; case 3: break; default: z++; }
  if (FLAG(a) == TWO) z = 3;
  if (FLAG(a) && b) z = 3;
  if (getchar() && FLAG(getchar())) z = 3;
  z = a > 3 && b;
  if (z = (a && b)) z++;
  return z && (a || b);
}
int main(int c, char **v) { struct s s = {0}; return f(c, c, &s); }
