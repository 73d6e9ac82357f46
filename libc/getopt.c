/*
 * getopt, getopt_long, getopt_long_only
 *
 * The real functions do the work: they move arguments, print messages, and keep their place in a variable of
 * their own. The model looks at the same characters beforehand, so that what they decide is in the path.
 */
#include "model.h"
#include <getopt.h>
#include <stdlib.h>

/* The options of a program. */
struct syntax {
    const char *letters;
    const struct option *words;
    int words_only;
};

/* What is left of an argument with several letters. */
static const char *cluster;

/* What the branches here decide is of no use to anyone. */
static volatile int seen;

static void look_at_letter(const char *at, const char *letters)
{
    cluster = NULL;
    for (; *letters != '\0'; letters++) {
        if (*letters == ':' || *at != *letters)
            continue;
        if (letters[1] == ':') {
            /* The argument may be here, or be the next word. */
            if (at[1] == '\0')
                seen++;
            return;
        }
        break;
    }
    if (at[1] != '\0')
        cluster = at + 1;
}

/* Compares a word with the name of an option, which it may abbreviate. */
static void look_at_name(const char *word, const char *name)
{
    size_t i;
    for (i = 0; word[i] != '\0' && word[i] != '='; i++)
        if (word[i] != name[i])
            return;
    seen++;
}

static void look_at_word(const char *word, const struct option *words)
{
    cluster = NULL;
    for (; words->name != NULL; words++)
        look_at_name(word, words->name);
}

static int is_option(const char *argument)
{
    return argument[0] == '-' && argument[1] != '\0';
}

static void look_at_option(const char *option, const struct syntax *syntax)
{
    if (option[1] == '-' && option[2] == '\0') {
        cluster = NULL;
        return;
    }
    if (syntax->words != NULL && option[1] == '-') {
        look_at_word(option + 2, syntax->words);
        return;
    }
    if (syntax->words != NULL && syntax->words_only)
        look_at_word(option + 1, syntax->words);
    look_at_letter(option + 1, syntax->letters);
}

/* Whether options may stand behind other arguments. */
static int permutes(const char *letters)
{
    return letters[0] != '+' && letters[0] != '-' && getenv("POSIXLY_CORRECT") == NULL;
}

static void look(int argc, char *const *argv, const struct syntax *syntax)
{
    int at = optind;
    if (!__cairn_tracing())
        return;
    if (optind == 0) {
        cluster = NULL;
        at = 1;
    }
    if (cluster != NULL) {
        look_at_letter(cluster, syntax->letters);
        return;
    }
    for (; at < argc && argv[at] != NULL; at++) {
        if (is_option(argv[at])) {
            look_at_option(argv[at], syntax);
            return;
        }
        if (!permutes(syntax->letters))
            return;
    }
}

int MODEL(getopt)(int argc, char *const *argv, const char *letters)
{
    struct syntax syntax = {letters, NULL, 0};
    look(argc, argv, &syntax);
    return getopt(argc, argv, letters);
}

int MODEL(getopt_long)(int argc, char *const *argv, const char *letters, const struct option *words, int *index)
{
    struct syntax syntax = {letters, words, 0};
    look(argc, argv, &syntax);
    return getopt_long(argc, argv, letters, words, index);
}

int MODEL(getopt_long_only)(int argc, char *const *argv, const char *letters, const struct option *words,
                            int *index)
{
    struct syntax syntax = {letters, words, 1};
    look(argc, argv, &syntax);
    return getopt_long_only(argc, argv, letters, words, index);
}
