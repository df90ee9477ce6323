/*
 * Two programs timed against each other in pairs, one right after the other, which goes first by
 * turns: what the machine does in the meantime happens to both.
 */
#ifndef SD_TIMED_PAIRS_H
#define SD_TIMED_PAIRS_H

#include "base/status.h"
#include "context/context.h"

enum { SD_PAIR_BEFORE, SD_PAIR_AFTER };

struct sd_timed_side {
	const char *called; /* borrowed; for messages */
	char **argv;        /* borrowed; ends with NULL; argv[0] is executed */
	const char *folder; /* borrowed; it runs there; NULL: here */
	double seconds;     /* median */
};

struct sd_timed_pairs {
	struct sd_timed_side side[2];
	struct sd_interval
		gain; /* time before / time after: median, order statistics of the pairs */
	size_t pairs; /* 0: it came to none */
	int same;     /* both print the same */
	int steady;   /* the one before printed the same twice */
};

/*
 * Runs each once to see what it prints, then pairs for `seconds`, 5 at least and 25 at most. The
 * first three members of the sides are to be set. SD_EXIT_DONE; after a message SD_EXIT_PROGRAM:
 * one cannot be started, or does not end with 0; SD_EXIT_INTERRUPTED; SD_EXIT_MEASURE.
 */
enum sd_exit sd_timed_pairs_run(const struct sd_cli *cli, struct sd_timed_pairs *p, double seconds);

/* "SUBJECT is 1.90x as fast (1.80x to 2.00x, 9 pairs), 0.42 s instead of 0.80 s; both print the
 * same", where the interval holds 1 behind "no difference that can be told: ". */
void sd_timed_pairs_say(
	const struct sd_timed_pairs *p, const char *subject, char *out, size_t size);

/* The words of a command, which sd_command_words_free() frees in every case. 1: the first names a
 * file, no record, that can be executed; 0: it does not; -ENOMEM. */
int sd_timed_pairs_program(const char *command, char ***argv);

#endif
