/*
 * getopt, getopt_long, getopt_long_only
 *
 * The real functions do the work: they permute arguments, print messages, and keep their position in a variable of
 * their own. The model branches on the same characters beforehand, so that their decisions are in the path.
 */
#include "model.h"
#include <getopt.h>
#include <stdlib.h>

/* Options of a program. */
struct syntax {
    const char *letters;
    const struct option *words;
    int words_only;
};

/* A word of the command line, by its index, and the number of words. */
struct place {
    int at;
    int argc;
};

/* The rest of an argument with several letters. */
static const char *cluster;

/* Sink of the branches' results, which keeps the branches. */
static volatile int seen;

/* The argument of an option is the next word, if there is one: that depends on the number of words. */
static void look_for_next(const struct place *place)
{
    if (place->at + 1 < place->argc)
        seen++;
}

static void look_at_letter(const char *at, const char *letters, const struct place *place)
{
    cluster = NULL;
    while (*letters == '+' || *letters == '-')
        letters++;
    for (; *letters != '\0'; letters++) {
        if (*letters == ':' || *at != *letters)
            continue;
        if (letters[1] == ':') {
            /* The argument may be in this word; an optional one is nowhere else. */
            if (at[1] == '\0' && letters[2] != ':')
                look_for_next(place);
            return;
        }
        break;
    }
    if (at[1] != '\0')
        cluster = at + 1;
}

/*
 * Compares a word with the name of an option, which it may abbreviate. Returns the text behind the name if it
 * matches.
 */
static const char *behind_name(const char *word, const char *name)
{
    size_t i;
    for (i = 0; word[i] != '\0' && word[i] != '='; i++)
        if (word[i] != name[i])
            return NULL;
    return word + i;
}

static void look_at_name(const char *name, const struct option *options, const struct place *place)
{
    int needs_next = 0;
    cluster = NULL;
    for (; options->name != NULL; options++) {
        const char *rest = behind_name(name, options->name);
        if (rest != NULL && *rest == '\0' && options->has_arg == required_argument)
            needs_next = 1;
    }
    if (needs_next)
        look_for_next(place);
}

static int is_option(const char *argument)
{
    return argument[0] == '-' && argument[1] != '\0';
}

static void look_at_option(const char *option, const struct syntax *syntax, const struct place *place)
{
    if (option[1] == '-' && option[2] == '\0') {
        cluster = NULL;
        return;
    }
    if (syntax->words != NULL && option[1] == '-') {
        look_at_name(option + 2, syntax->words, place);
        return;
    }
    if (syntax->words != NULL && syntax->words_only)
        look_at_name(option + 1, syntax->words, place);
    look_at_letter(option + 1, syntax->letters, place);
}

/* True if options may follow other arguments. */
static int permutes(const char *letters)
{
    return letters[0] != '+' && letters[0] != '-' && getenv("POSIXLY_CORRECT") == NULL;
}

static void look(int argc, char *const *argv, const struct syntax *syntax)
{
    struct place place = {optind, argc};
    if (!__cairn_tracing())
        return;
    if (optind == 0) {
        cluster = NULL;
        place.at = 1;
    }
    if (cluster != NULL) {
        look_at_letter(cluster, syntax->letters, &place);
        return;
    }
    for (; place.at < argc && argv[place.at] != NULL; place.at++) {
        if (is_option(argv[place.at])) {
            look_at_option(argv[place.at], syntax, &place);
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
