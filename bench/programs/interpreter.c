/*
 * An interpreter loop: concrete work for measuring what instrumentation costs.
 *
 *     interpreter [LIMIT]     (200000 if not given)
 *
 * A machine with a stack and eight variables counts the primes below the limit, by trial division. A switch in a loop,
 * as most interpreters have it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PUSH, LOAD, STORE, ADD, MULTIPLY, REMAINDER, LESS, EQUAL, JUMP, JUMP_IF, JUMP_IF_NOT, HALT };
enum { LIMIT, CANDIDATE, DIVISOR, COUNT, VARIABLES = 8, STACK = 16 };

struct instruction {
    int operation, operand;
};

static const struct instruction program[] = {
    {PUSH, 2}, {STORE, CANDIDATE},
    /* 2: is the candidate below the limit? */
    {LOAD, CANDIDATE}, {LOAD, LIMIT}, {LESS, 0}, {JUMP_IF_NOT, 33},
    {PUSH, 2}, {STORE, DIVISOR},
    /* 8: divisors up to the square root */
    {LOAD, CANDIDATE}, {LOAD, DIVISOR}, {LOAD, DIVISOR}, {MULTIPLY, 0}, {LESS, 0}, {JUMP_IF, 24},
    {LOAD, CANDIDATE}, {LOAD, DIVISOR}, {REMAINDER, 0}, {PUSH, 0}, {EQUAL, 0}, {JUMP_IF, 28},
    {LOAD, DIVISOR}, {PUSH, 1}, {ADD, 0}, {JUMP, 34},
    /* 24: a prime */
    {LOAD, COUNT}, {PUSH, 1}, {ADD, 0}, {STORE, COUNT},
    /* 28: the next candidate */
    {LOAD, CANDIDATE}, {PUSH, 1}, {ADD, 0}, {STORE, CANDIDATE}, {JUMP, 2},
    /* 33 */
    {HALT, 0},
    /* 34: the next divisor */
    {STORE, DIVISOR}, {JUMP, 8},
};

static uint64_t execute(const struct instruction *code, int64_t *variables)
{
    int64_t stack[STACK], *top = stack;
    const struct instruction *at = code;
    uint64_t steps = 0;
    for (;; steps++) {
        int operand = at->operand;
        switch ((at++)->operation) {
        case PUSH: *top++ = operand; break;
        case LOAD: *top++ = variables[operand]; break;
        case STORE: variables[operand] = *--top; break;
        case ADD: top--; top[-1] += top[0]; break;
        case MULTIPLY: top--; top[-1] *= top[0]; break;
        case REMAINDER: top--; top[-1] %= top[0]; break;
        case LESS: top--; top[-1] = top[-1] < top[0]; break;
        case EQUAL: top--; top[-1] = top[-1] == top[0]; break;
        case JUMP: at = code + operand; break;
        case JUMP_IF: if (*--top) at = code + operand; break;
        case JUMP_IF_NOT: if (!*--top) at = code + operand; break;
        default: return steps;
        }
    }
}

int main(int argc, char **argv)
{
    int64_t variables[VARIABLES] = {0};
    uint64_t steps;
    variables[LIMIT] = argc > 1 ? atoi(argv[1]) : 200000;
    steps = execute(program, variables);
    printf("%ld primes below %ld in %lu steps\n", (long)variables[COUNT], (long)variables[LIMIT], (unsigned long)steps);
    return 0;
}
