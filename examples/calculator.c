/*
 * cairn-example: calculator
 * input: stdin 0-5
 * branches: 38
 * unreachable: 0
 * faults: 1
 * fault: SIGFPE divide
 * strategy: dfs
 * execs: 4000
 *
 * Reads an expression such as `2*(3-1)` from a line, and prints its value: numbers, `+ - * /`, unary
 * minus, parentheses.
 *
 * The fault: a divisor that is a number is checked for zero, one in parentheses is not: `8/(0)`.
 */
#include <stdio.h>
#include <stdlib.h>

enum token { END, NUMBER, SYMBOL };

struct scanner {
    enum token token;
    int symbol; /* which, if the token is a symbol */
    long number; /* its value, if the token is a number */
    int next; /* the character behind the token */
};

struct value {
    long number;
    int grouped; /* whether it stood in parentheses */
};

static struct value sum(struct scanner *scanner);

static void fail(const char *message)
{
    printf("error: %s\n", message);
    exit(1);
}

static int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static void scan_number(struct scanner *scanner)
{
    scanner->number = 0;
    while (is_digit(scanner->next)) {
        scanner->number = scanner->number * 10 + (scanner->next - '0');
        scanner->next = getchar();
    }
}

static void scan(struct scanner *scanner)
{
    if (is_digit(scanner->next)) {
        scanner->token = NUMBER;
        scan_number(scanner);
    } else if (scanner->next == '\n' || scanner->next == EOF) {
        scanner->token = END;
    } else {
        scanner->token = SYMBOL;
        scanner->symbol = scanner->next;
        scanner->next = getchar();
    }
}

static int is_symbol(const struct scanner *scanner, int symbol)
{
    return scanner->token == SYMBOL && scanner->symbol == symbol;
}

static struct value group(struct scanner *scanner)
{
    struct value inner;
    scan(scanner);
    inner = sum(scanner);
    if (!is_symbol(scanner, ')'))
        fail("a parenthesis is not closed");
    scan(scanner);
    inner.grouped = 1;
    return inner;
}

static struct value operand(struct scanner *scanner)
{
    struct value value = {0, 0};
    if (is_symbol(scanner, '('))
        return group(scanner);
    if (is_symbol(scanner, '-')) {
        scan(scanner);
        value = operand(scanner);
        value.number = -value.number;
        return value;
    }
    if (scanner->token != NUMBER)
        fail("an operand is missing");
    value.number = scanner->number;
    scan(scanner);
    return value;
}

static long divide(long left, struct value right)
{
    if (right.number == 0 && !right.grouped)
        fail("division by zero");
    return left / right.number;
}

static struct value product(struct scanner *scanner)
{
    struct value right, left = operand(scanner);
    int symbol;
    while (is_symbol(scanner, '*') || is_symbol(scanner, '/')) {
        symbol = scanner->symbol;
        scan(scanner);
        right = operand(scanner);
        if (symbol == '*')
            left.number *= right.number;
        else
            left.number = divide(left.number, right);
    }
    return left;
}

static struct value sum(struct scanner *scanner)
{
    struct value right, left = product(scanner);
    int symbol;
    while (is_symbol(scanner, '+') || is_symbol(scanner, '-')) {
        symbol = scanner->symbol;
        scan(scanner);
        right = product(scanner);
        left.number += symbol == '+' ? right.number : -right.number;
    }
    return left;
}

int main(void)
{
    struct scanner scanner;
    struct value value;
    scanner.next = getchar();
    scan(&scanner);
    value = sum(&scanner);
    if (scanner.token != END)
        fail("something follows the expression");
    printf("%ld\n", value.number);
    return 0;
}
