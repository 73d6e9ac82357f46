/*
 * Included before every C++ source by `cairn c++`: std::string is instantiated in the program and
 * instrumented with it, instead of being called in the library.
 */
#if defined __cplusplus && __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
