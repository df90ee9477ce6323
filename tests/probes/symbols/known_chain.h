/*
 * A child of ours in a known chain of calls.
 */
#ifndef SD_TEST_KNOWN_CHAIN_H
#define SD_TEST_KNOWN_CHAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/symbols.h"

struct child {
	int pid, tid;
	int ready; /* read end of a pipe: a byte says that it is there */
};

void sym_middle(void (*leaf)(int), int n);

void sym_outer(void (*leaf)(int), int n);

static int tell; /* write end, in the child */

static volatile int zero;

__attribute__((noinline)) void sym_middle(void (*leaf)(int), int n)
{
	volatile char room[3000];

	room[n] = 1;
	leaf(n + 1);
	zero = room[n];
}

__attribute__((noinline)) void sym_outer(void (*leaf)(int), int n)
{
	sym_middle(leaf, n + 1);
	zero = n;
}

static inline struct child start(void (*leaf)(int))
{
	struct child c;
	char byte;
	int p[2];

	assert_int_equal(pipe(p), 0);
	c.pid = c.tid = fork();
	assert_true(c.pid >= 0);
	if (c.pid == 0) {
		tell = p[1];
		sym_outer(leaf, 1);
		_exit(0);
	}
	close(p[1]);
	c.ready = p[0];
	assert_int_equal(read(c.ready, &byte, 1), 1);
	return c;
}

#endif
