/*
 * cairn-example: tree
 * input: stdin 0-6
 * branches: 16
 * unreachable: 0
 * faults: 1
 * fault: SIGABRT measure
 * strategy: dfs
 * execs: 4000
 *
 * Counts five bytes in a search tree, in ascending or descending order as the first byte asks for,
 * then walks the tree with a function per node.
 *
 * The fault: the drawing has room for eight columns, and a node takes as many as its depth times its
 * count. All shapes fit but one: a number that came three times at depth three.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NUMBERS 5
#define MAX_COLUMNS 8

struct node {
    struct node *children[2];
    unsigned char number;
    int count;
};

typedef int comparison(unsigned char a, unsigned char b);
typedef void visitor(const struct node *node, int depth, void *context);

static int ascending(unsigned char a, unsigned char b)
{
    return (a > b) - (a < b);
}

static int descending(unsigned char a, unsigned char b)
{
    return ascending(b, a);
}

static comparison *choose(unsigned char order)
{
    return order == '<' ? ascending : descending;
}

static struct node *insert(struct node *tree, struct node *node, comparison *compare)
{
    int order;
    if (tree == NULL)
        return node;
    order = compare(node->number, tree->number);
    if (order < 0)
        tree->children[0] = insert(tree->children[0], node, compare);
    else if (order > 0)
        tree->children[1] = insert(tree->children[1], node, compare);
    else
        tree->count++;
    return tree;
}

static void walk(const struct node *tree, int depth, visitor *visit, void *context)
{
    if (tree == NULL)
        return;
    walk(tree->children[0], depth + 1, visit, context);
    visit(tree, depth, context);
    walk(tree->children[1], depth + 1, visit, context);
}

static void print(const struct node *node, int depth, void *context)
{
    (void)context;
    printf("%*s%d (%d)\n", depth * 2, "", node->number, node->count);
}

static void measure(const struct node *node, int depth, void *context)
{
    int *widest = context, columns = depth * node->count;
    if (columns > MAX_COLUMNS)
        abort();
    if (columns > *widest)
        *widest = columns;
}

int main(void)
{
    static struct node nodes[NUMBERS];
    unsigned char bytes[NUMBERS + 1] = {0};
    struct node *tree = NULL;
    int i, widest = 0, size = (int)read(STDIN_FILENO, bytes, sizeof bytes);
    comparison *compare = choose(bytes[0]);
    for (i = 1; i < size; i++) {
        struct node *node = &nodes[i - 1];
        node->number = bytes[i];
        node->count = 1;
        tree = insert(tree, node, compare);
    }
    walk(tree, 1, print, NULL);
    walk(tree, 1, measure, &widest);
    printf("%d columns\n", widest);
    return 0;
}
