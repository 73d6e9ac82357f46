#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <math.h>
#include <unistd.h>
struct v { int t; double d; char *s; struct v *child, *next; };
static const char *p;
static struct v *nv(int t) { struct v *x = calloc(1, sizeof *x); x->t = t; return x; }
static void ws(void) { while (*p && isspace((unsigned char)*p)) p++; }
static struct v *val(int depth) {
    ws();
    if (depth > 4) return NULL;
    if (*p == '"') {
        const char *e = ++p; size_t n = 0;
        while (*e && *e != '"') { if (*e == '\\') e++; if (!*e) return NULL; e++; n++; }
        if (!*e) return NULL;
        struct v *x = nv('s'); char *o = x->s = malloc(n + 1);
        while (p < e) { if (*p == '\\') { p++; *o++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p; p++; } else *o++ = *p++; }
        *o = 0; p = e + 1; return x;
    }
    if (*p == '[') {
        struct v *x = nv('['), **l = &x->child; p++; ws();
        if (*p == ']') { p++; return x; }
        for (;;) { struct v *c = val(depth + 1); if (!c) return NULL; *l = c; l = &c->next; ws(); if (*p == ',') { p++; continue; } if (*p == ']') { p++; return x; } return NULL; }
    }
    if (*p == '-' || isdigit((unsigned char)*p)) {
        char *e; double d = strtod(p, &e); if (e == p) return NULL; p = e;
        struct v *x = nv('n'); x->d = d; return x;
    }
    if (!strncmp(p, "true", 4)) { p += 4; return nv('t'); }
    if (!strncmp(p, "null", 4)) { p += 4; return nv('0'); }
    return NULL;
}
static void num(char *b, double d) {
    double test;
    if (isnan(d) || isinf(d)) { strcpy(b, "null"); return; }
    if (d == (double)(int)d) { sprintf(b, "%d", (int)d); return; }
    sprintf(b, "%1.15g", d);
    if (sscanf(b, "%lg", &test) != 1 || fabs(test - d) > 1e-15 * fabs(d)) sprintf(b, "%1.17g", d);
}
static char *out; static size_t cap, len;
static void put(const char *s) { size_t n = strlen(s); if (len + n + 1 > cap) { cap = (len + n + 1) * 2; out = realloc(out, cap); } memcpy(out + len, s, n + 1); len += n; }
static void print(struct v *x) {
    char b[40];
    switch (x->t) {
    case 's': put("\""); for (char *s = x->s; *s; s++) { if (*s == '"' || *s == '\\') { b[0] = '\\'; b[1] = *s; b[2] = 0; } else if ((unsigned char)*s < 32) sprintf(b, "\\u%04x", (unsigned char)*s); else { b[0] = *s; b[1] = 0; } put(b); } put("\""); break;
    case '[': put("["); for (struct v *c = x->child; c; c = c->next) { print(c); if (c->next) put(","); } put("]"); break;
    case 'n': num(b, x->d); put(b); break;
    case 't': put("true"); break;
    default: put("null");
    }
}
int main(void) {
    char buf[17]; ssize_t n = read(0, buf, 16); if (n <= 0) return 1; buf[n] = 0;
    p = buf; struct v *x = val(0); if (!x) { puts("bad"); return 1; } ws(); if (*p) { puts("trailing"); return 2; }
    print(x); puts(out);
    p = out; char *first = out; out = NULL; cap = len = 0;
    struct v *y = val(0); if (!y) return 3; print(y); if (strcmp(first, out)) return 4;
    return 0;
}
