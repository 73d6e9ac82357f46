#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* a ring buffer driven by text commands */
struct ring { int *data; unsigned cap, head, len; };
static struct ring *make(unsigned cap) { struct ring *r = malloc(sizeof *r); r->data = calloc(cap, sizeof *r->data); r->cap = cap; r->head = r->len = 0; return r; }
static int push(struct ring *r, int v) { if (r->len == r->cap) { r->data[r->head] = v; r->head = (r->head + 1) % r->cap; return 1; } r->data[(r->head + r->len++) % r->cap] = v; return 0; }
static int pop(struct ring *r, int *v) { if (!r->len) return 0; *v = r->data[r->head]; r->head = (r->head + 1) % r->cap; r->len--; return 1; }
static void grow(struct ring *r, unsigned cap) {
    int *n = malloc(cap * sizeof *n); unsigned k = r->len < cap ? r->len : cap;
    for (unsigned i = 0; i < k; i++) n[i] = r->data[(r->head + i) % r->cap];
    free(r->data); r->data = n; r->cap = cap; r->head = 0; r->len = k;
}
int main(void) {
    char line[16], out[64]; struct ring *r = make(3); int sum = 0;
    while (fgets(line, sizeof line, stdin)) {
        int v; unsigned u;
        if (sscanf(line, "+%d", &v) == 1) { if (push(r, v)) puts("overwrote"); }
        else if (line[0] == '-') { if (pop(r, &v)) { snprintf(out, sizeof out, "%d;", v); sum += (int)strlen(out); } else puts("empty"); }
        else if (sscanf(line, "c%u", &u) == 1) { if (u == 0 || u > 16) puts("no"); else grow(r, u); }
        else if (sscanf(line, "r%u", &u) == 1 && r->len) { r->head = (r->head + u) % r->cap; }
        else if (line[0] == 'm') { char *p = out; *p = 0; for (unsigned i = 0; i < r->len; i++) p += sprintf(p, "%x", r->data[(r->head + i) % r->cap] & 255); if (strstr(out, "1a")) puts("found"); }
        else if (line[0] != '\n') break;
    }
    if (sum == 7 && r->len == 2) abort();
    return 0;
}
