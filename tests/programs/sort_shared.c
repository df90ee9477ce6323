/* The loop variables of all threads side by side, in a line or two. */
#define VAR(name) name[tid]

static volatile int turn[4], low[4], high[4], held[4];

#include "exchange.h"
