/*
 * tsearch, tfind, tdelete
 *
 * The tree belongs to the library, which makes all changes. The comparison results inside it are not visible: before
 * each call the path to the key is walked here, so that every result is decided on in the path. The nodes are those
 * of glibc since 2.26: the key, and two subtrees; the lowest bit of the left one is a colour.
 */
#include "model.h"
#include <search.h>
#include <stdint.h>

typedef int (*comparison)(const void *, const void *);

struct node {
    const void *key;
    uintptr_t left, right;
};

static const struct node *subtree(uintptr_t child)
{
    return (const struct node *)(child & ~(uintptr_t)1);
}

/* Returns true if the key is in the tree. */
static int walk(const void *key, void *const *root, comparison compare)
{
    const struct node *node = __cairn_tracing() && root != NULL ? *root : NULL;
    while (node != NULL) {
        int order = compare(key, node->key);
        if (order == 0)
            return 1;
        node = subtree(order < 0 ? node->left : node->right);
    }
    return 0;
}

void *MODEL(tsearch)(const void *key, void **root, comparison compare)
{
    int is_old = walk(key, root, compare);
    struct node *node = tsearch(key, root, compare);
    /* The library has stored a new key without its label. */
    if (node != NULL && !is_old && symbolic_value(key))
        node->key = key;
    return node;
}

void *MODEL(tfind)(const void *key, void *const *root, comparison compare)
{
    walk(key, root, compare);
    return tfind(key, root, compare);
}

void *MODEL(tdelete)(const void *key, void **root, comparison compare)
{
    walk(key, root, compare);
    return tdelete(key, root, compare);
}
