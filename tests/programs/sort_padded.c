/* The loop variables of each thread on lines of their own. */
#define VAR(name) own[tid].name

static struct {
	_Alignas(128) volatile int turn;
	volatile int low, high, held;
} own[4];

#include "exchange.h"
