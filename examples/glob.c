/*
 * cairn-example: glob
 * input: args 5 2
 * branches: 47
 * unreachable: 1
 * faults: 1
 * fault: SIGABRT skip_set
 * strategy: dfs
 * execs: 2000
 *
 * Matches a name against a file name pattern: `glob PATTERN NAME`. `*` is any text, `?` any character,
 * `[abc]` and `[a-c]` one of a set, `[!abc]` none of it, `\` takes the next character as it is.
 *
 * The fault: a set that is not closed does not match; but when the character is found in it before
 * the end of the pattern is seen, the rest of the set is skipped without a look at where it ends.
 *
 * Out of reach: the wrong number of arguments.
 */
#include <stdio.h>
#include <stdlib.h>

static int matches(const char *pattern, const char *name);

/* Goes to the `]` that closes a set. */
static const char *skip_set(const char *at)
{
    while (*at != ']') {
        if (*at == '\0')
            abort();
        at++;
    }
    return at;
}

/* Whether `c` is in the set at `*at`, which is left on the closing bracket; -1 if it is not closed. */
static int in_set(const char **at, char c)
{
    const char *set = *at;
    char low, high;
    for (; *set != ']'; set++) {
        low = high = *set;
        if (low == '\0')
            return -1;
        if (set[1] == '-' && set[2] != ']' && set[2] != '\0') {
            high = set[2];
            set += 2;
        }
        if (c >= low && c <= high) {
            *at = skip_set(set);
            return 1;
        }
    }
    *at = set;
    return 0;
}

static int matches_set(const char *pattern, const char *name)
{
    int negated = *pattern == '!', found;
    if (negated)
        pattern++;
    found = in_set(&pattern, *name);
    if (found < 0)
        return 0;
    return found != negated && matches(pattern + 1, name + 1);
}

static int matches_star(const char *pattern, const char *name)
{
    for (;; name++) {
        if (matches(pattern, name))
            return 1;
        if (*name == '\0')
            return 0;
    }
}

static int matches(const char *pattern, const char *name)
{
    char c = *pattern;
    if (c == '*')
        return matches_star(pattern + 1, name);
    if (c == '\0' || *name == '\0')
        return c == *name;
    if (c == '[')
        return matches_set(pattern + 1, name);
    if (c == '?')
        return matches(pattern + 1, name + 1);
    if (c == '\\' && pattern[1] != '\0')
        c = *++pattern;
    return c == *name && matches(pattern + 1, name + 1);
}

int main(int argc, char **argv)
{
    int found;
    if (argc != 3) {
        printf("usage: glob PATTERN NAME\n");
        return 2;
    }
    found = matches(argv[1], argv[2]);
    printf("%s\n", found ? "yes" : "no");
    return !found;
}
