/* malloc_usable_size, mallinfo, mallinfo2: their results depend on the sizes of blocks, which may be symbolic */
#include "model.h"
#include <malloc.h>

void __cairn_heap_inspected(void);

size_t MODEL(malloc_usable_size)(void *block)
{
    __cairn_heap_inspected();
    return malloc_usable_size(block);
}

#pragma clang diagnostic ignored "-Wdeprecated-declarations"
struct mallinfo MODEL(mallinfo)(void)
{
    __cairn_heap_inspected();
    return mallinfo();
}

struct mallinfo2 MODEL(mallinfo2)(void)
{
    __cairn_heap_inspected();
    return mallinfo2();
}
