/* Parses XML from standard input with Mini-XML and writes it again. */
#include <stdio.h>
#include <mxml.h>

static char input[1 << 16];

int main(void) {
    size_t length = fread(input, 1, sizeof input - 1, stdin);
    mxml_node_t *tree;
    input[length] = 0;
    tree = mxmlLoadString(NULL, input, MXML_OPAQUE_CALLBACK);
    if (!tree) return 1;
    mxmlSaveFile(tree, stdout, MXML_NO_CALLBACK);
    mxmlDelete(tree);
    return 0;
}
