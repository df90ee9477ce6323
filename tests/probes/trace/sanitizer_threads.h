/*
 * The thread sanitizer runs a thread of its own in every process: what counts threads, forks or
 * switches would count that. Include after cmocka.h.
 */
#ifndef SD_TESTS_SANITIZER_THREADS_H
#define SD_TESTS_SANITIZER_THREADS_H

#include <stdio.h>

static inline void sanitizer_threads_skip(const char *test)
{
#ifdef __SANITIZE_THREAD__
	fprintf(stderr, "SKIP: %s: the thread sanitizer has threads of its own\n", test);
	skip();
#else
	(void)test;
#endif
}

#endif
