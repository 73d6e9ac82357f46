/*
 * cairn-example: vm
 * input: file 0-7
 * branches: 38
 * unreachable: 4
 * faults: 2
 * fault: SIGFPE divide
 * fault: SIGSEGV store
 * strategy: dfs
 * execs: 4000
 *
 * Runs a program for a small stack machine: `vm FILE`. One byte is one instruction, save for PUSH,
 * which has an operand.
 *
 *     p n   push n           + - /  the two on top          = store the top in the cell below it
 *     :     push the top     ?      skip if zero            . stop
 *
 * The faults: zero by zero is said to be zero, but anything else by zero is divided; and a negative
 * cell belongs to the caller, but a program that was started by hand has none.
 *
 * Out of reach: the wrong number of arguments, a file that cannot be opened (two branches), and a full
 * stack (seven bytes cannot push eight numbers).
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define MAX_CODE 7
#define MAX_STACK 8
#define CELLS 4

enum state { RUNNING, HALTED, BROKEN };

struct machine {
    int stack[MAX_STACK];
    int depth;
    int *cells;
    struct machine *volatile caller;
    const unsigned char *code;
    int size, at;
};

static int pop(struct machine *machine)
{
    return machine->stack[--machine->depth];
}

static enum state push(struct machine *machine, int value)
{
    if (machine->depth == MAX_STACK)
        return BROKEN;
    machine->stack[machine->depth++] = value;
    return RUNNING;
}

static int divide(int left, int right)
{
    if (right == 0 && left == 0)
        return 0;
    return left / right;
}

static enum state store(struct machine *machine, int cell, int value)
{
    if (cell >= CELLS)
        return BROKEN;
    if (cell < 0)
        return store(machine->caller, -cell, value);
    machine->cells[cell] = value;
    return RUNNING;
}

/* Takes two operands and pushes the result. */
static enum state calculate(struct machine *machine, unsigned char operation)
{
    int left, right;
    if (machine->depth < 2)
        return BROKEN;
    right = pop(machine);
    left = pop(machine);
    switch (operation) {
    case '+':
        return push(machine, left + right);
    case '-':
        return push(machine, left - right);
    case '/':
        return push(machine, divide(left, right));
    default:
        return store(machine, left, right);
    }
}

/* Skips the next instruction if the top of the stack is zero. */
static enum state skip_if_zero(struct machine *machine)
{
    if (machine->depth == 0)
        return BROKEN;
    if (pop(machine) == 0)
        machine->at++;
    return RUNNING;
}

static enum state step(struct machine *machine)
{
    unsigned char instruction = machine->code[machine->at++];
    switch (instruction) {
    case 'p':
        return machine->at < machine->size ? push(machine, machine->code[machine->at++]) : BROKEN;
    case ':':
        return machine->depth > 0 ? push(machine, machine->stack[machine->depth - 1]) : BROKEN;
    case '+':
    case '-':
    case '/':
    case '=':
        return calculate(machine, instruction);
    case '?':
        return skip_if_zero(machine);
    case '.':
        return HALTED;
    default:
        return BROKEN;
    }
}

static int load(const char *path, unsigned char *code)
{
    int size, file = open(path, O_RDONLY);
    if (file < 0)
        return -1;
    size = (int)read(file, code, MAX_CODE);
    close(file);
    return size;
}

int main(int argc, char **argv)
{
    static int cells[CELLS];
    unsigned char code[MAX_CODE + 1];
    struct machine machine = {{0}, 0, cells, NULL, code, 0, 0};
    enum state state = RUNNING;
    if (argc != 2 || (machine.size = load(argv[1], code)) < 0) {
        printf("usage: vm FILE\n");
        return 2;
    }
    while (state == RUNNING && machine.at < machine.size)
        state = step(&machine);
    printf("%s, %d on the stack, first cell %d\n", state == BROKEN ? "broken" : "done", machine.depth, cells[0]);
    return state == BROKEN;
}
