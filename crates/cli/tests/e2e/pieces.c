/* A lexer that chooses tokens by control flow, and a parser that looks them up in a table: that what it decides depends
   on the input is in no expression. With STORED, the lexer stores the token instead of returning it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    END, LET, IF, NAME, NUMBER, PLUS, MINUS, STAR, SLASH, OPEN, CLOSE, COMMA, SEMICOLON, LESS, LESS_EQUAL, ASSIGN, EQUAL,
    ARROW, COLON, AT, OTHER
};

#ifdef STORED
#define LEX(token) static int lex(int *token)
#define TOKEN(is) do { *kind = (is); return 1; } while (0)
#else
#define LEX(token) static int lex(void)
#define TOKEN(is) return is
#endif

static int next = ' ';

/* Takes the next character if it is this one. */
static int follows(int wanted) {
    if (next != wanted) return 0;
    next = getchar();
    return 1;
}

LEX(kind) {
    while (next == ' ' || next == '\n') next = getchar();
    if (next == EOF) TOKEN(END);
    if (next >= 'a' && next <= 'z') {
        char word[16];
        unsigned length = 0;
        for (; next >= 'a' && next <= 'z'; next = getchar())
            if (length < sizeof word - 1) word[length++] = (char)next;
        word[length] = 0;
        if (!strcmp(word, "let")) TOKEN(LET);
        if (!strcmp(word, "if")) TOKEN(IF);
        TOKEN(NAME);
    }
    if (next >= '0' && next <= '9') {
        while (next >= '0' && next <= '9') next = getchar();
        TOKEN(NUMBER);
    }
    int first = next;
    next = getchar();
    switch (first) {
    case '+': TOKEN(PLUS);
    case '-': if (follows('>')) TOKEN(ARROW); TOKEN(MINUS);
    case '*': TOKEN(STAR);
    case '/': TOKEN(SLASH);
    case '(': TOKEN(OPEN);
    case ')': TOKEN(CLOSE);
    case ',': TOKEN(COMMA);
    case ';': TOKEN(SEMICOLON);
    case '<': if (follows('=')) TOKEN(LESS_EQUAL); TOKEN(LESS);
    case '=': if (follows('=')) TOKEN(EQUAL); TOKEN(ASSIGN);
    case ':': TOKEN(COLON);
    case '@': TOKEN(AT);
    }
    TOKEN(OTHER);
}

/* State and token to the next state; 0 is an error. */
enum { START = 1, ACCEPTED = 6 };
static const unsigned char table[ACCEPTED][OTHER + 1] = {
    [START] = {[IF] = 2}, [2] = {[ARROW] = 3}, [3] = {[NUMBER] = 4}, [4] = {[LESS_EQUAL] = 5}, [5] = {[AT] = ACCEPTED},
};

static void accepted(void) { abort(); }

int main(void) {
    int state = START;
    while (state != 0) {
#ifdef STORED
        int token = -1;
        lex(&token);
#else
        int token = lex();
#endif
        state = table[state][token];
        if (state == ACCEPTED) accepted();
    }
    return 0;
}
