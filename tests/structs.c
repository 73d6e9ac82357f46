/*
 * cairn-example: structs
 * input: stdin 10
 * branches: 20
 * unreachable: 2
 * faults: 0
 * strategy: dfs
 * execs: 500
 *
 * Structs by value: small ones in registers, large ones in memory, nested, of floats, with bit-fields, with an array
 * at the end; as arguments, as results, through pointers to functions. Out of reach: a short read, another length.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct point { short x, y; };
struct line { struct point from, to; };
struct drawing { struct line lines[3]; struct { unsigned shade : 5, layer : 11; } style; char name[9]; };
struct vector { float x, y; };
struct body { double mass; struct vector speed; int id; };
struct message { unsigned length; unsigned char text[]; };

static struct line reversed(struct line line)
{
    return (struct line){ line.to, line.from };
}

static struct drawing draw(struct point corner, struct drawing old)
{
    old.lines[1] = reversed(old.lines[0]);
    old.lines[2].to = corner;
    old.style.layer += 3;
    return old;
}

static struct vector turned(struct vector speed, float other)
{
    return (struct vector){ other, speed.x };
}

static struct body moved(struct body body, struct vector (*how)(struct vector, float))
{
    body.speed = how(body.speed, body.speed.y);
    body.id++;
    return body;
}

static struct message *packed(const unsigned char *bytes, unsigned length)
{
    struct message *message = malloc(sizeof *message + length);
    message->length = length;
    memcpy(message->text, bytes, length);
    return message;
}

int main(void)
{
    unsigned char in[10];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    struct drawing blank = { .lines = { { { in[0], 2 }, { 3, in[1] } } }, .style = { in[2], in[3] }, .name = "blank" };
    struct drawing drawing = draw((struct point){ in[4], 0 }, blank);
    if (drawing.lines[1].from.y == 77 && drawing.lines[1].to.x == 88)
        puts("reversed");
    if (drawing.lines[2].to.x == 'c')
        puts("corner");
    if (drawing.style.shade == 21 && drawing.style.layer == 103)
        puts("style");
    struct vector speed;
    memcpy(&speed.x, in + 4, sizeof speed.x);
    memcpy(&speed.y, in + 6, sizeof speed.y);
    struct body body = moved((struct body){ in[5], speed, in[8] }, turned);
    if (body.id == 200)
        puts("id");
    if (memcmp(&body.speed.x, "half", 4) == 0)
        puts("speed");
    struct message *message = packed(in + 8, 2);
    struct message copy = *message;
    if (copy.length == 2 && message->text[1] == 'm')
        puts("message");
    free(message);
    return 0;
}
