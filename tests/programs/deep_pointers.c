/* As deep.c, with frame pointers. */
#pragma GCC optimize("no-omit-frame-pointer")
#include "deep.c"
