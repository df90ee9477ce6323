/*
 * Copies of a small program, run at once.
 */
#ifndef SD_TEST_COPIES_RUN_H
#define SD_TEST_COPIES_RUN_H

static char program[] = "/bin/true";

static char *argv[] = {program, NULL};

/* Copies that wait for a CPU may not meet: a few tries. */
#define TRIES 5

#endif
