/*
 * A lesson of the workshop: two programs that differ in one thing, and what they teach. The text is
 * a LESSON.md: a head of "key: value" lines between two lines "---", then chapters ("## Look for").
 */
#ifndef SD_LESSON_H
#define SD_LESSON_H

#include <stddef.h>

#include "base/sink.h"
#include "base/texts.h"
#include "analysis/waste.h"

/* Requirements of a machine that is to show the effect. */
enum sd_lesson_needs {
	SD_LESSON_NEEDS_NOTHING,   /* visible with one core */
	SD_LESSON_NEEDS_CORES,     /* two or more */
	SD_LESSON_NEEDS_NODES,     /* two or more NUMA nodes */
	SD_LESSON_NEEDS_SIMULATED, /* a cache of known size, which the simulated machine has */
	SD_LESSON_NEEDS_MPI,       /* mpicc and mpirun, of any implementation; and two cores */
};

/* Counts of the simulated machine: identifier, name, two lines of a head, what it is. */
#define SD_LESSON_COUNTS(X)                                                                   \
	X(INSTRUCTIONS, instructions, "instruc-", "tions", "instructions of all threads")     \
	X(LONGEST, longest, "of one", "thread", "instructions of the thread with most")       \
	X(LINES, lines, "lines of", "memory", "lines from and to memory")                     \
	X(WALKS, walks, "page", "walks", "walks through the page tables")                     \
	X(MOVES, moves, "lines", "moved", "lines taken from the core that had written them")  \
	X(PAGES, pages, "pages", "shared", "pages of a thread that another one touched, too") \
	X(CYCLES, cycles, "model's", "cycles", "cycles of the longest thread")

enum sd_lesson_count {
#define X(id, name, above, below, is) SD_LESSON_##id,
	SD_LESSON_COUNTS(X)
#undef X
		SD_LESSON_COUNTED
};

/* In the arguments: how much to do, in proportion to which a run takes its time. */
#define SD_LESSON_SIZE "{size}"
#define SD_LESSON_SIZE_MOST 2000000000ul /* programs may read it as an int */

struct sd_lesson {
	char *title, *minutes;
	unsigned duration;   /* the same minutes */
	char *rank;          /* 1: the first to be held where time is short; no two have the same */
	unsigned place;      /* the same */
	char *flags, *args;  /* of the compiler; of the programs, {n} as in `scalediag run` */
	char *size;          /* the number tried first for {size}; NULL: the work is fixed */
	unsigned long begin; /* the same; 0: fixed */
	char *attach;        /* "3": a service, looked at so many s at each count while it runs; its
				"requests" are the work (scalediag.h); NULL: a program that ends */
	unsigned window;     /* the same s; 0: none */
	char *shows;         /* "12-24": the lines of broken.c that matter */
	unsigned show_from, show_to;
	char *question, *answer; /* the answer is the letter of a choice */
	struct sd_texts choice;
	char *needs;
	enum sd_lesson_needs need;
	char *causes;      /* names, with spaces between: any of them is the diagnosis of broken.c;
			      "none", also beside others, where it may scale and be slow all the same */
	char *experiments; /* NULL: none */
	char *simulate;    /* arguments under the software PMU; NULL: not run */
	char *stand_in;    /* the same, only where this machine does not show the effect */
	char *results;     /* arguments with which results are compared; NULL: those simulated */
	char *machine, *sim_cores; /* of what is simulated; NULL: this one, 1,2 */
	char *counts; /* "moves 10": which count broken.c has more of, and how many times
			 at least; NULL: nothing is simulated */
	enum sd_lesson_count count;
	double times;
	char *waste; /* name (waste.h): what the software PMU diagnoses in broken.c, and not in
			fixed.c, at any number of cores; NULL: nothing */
	enum sd_waste_kind wasted;
	char *faults; /* "10": page faults of broken.c, so many times those of fixed.c at least,
			 which the kernel counts without a clock; NULL: not checked */
	double fault_times;
	char *look, *why, *exercises, *instructor; /* chapters, as Markdown */
};

/*
 * Parses the `size` bytes of a LESSON.md. 0; -EINVAL after a message "NAME:LINE: …"; -ENOMEM. *out
 * must be freed in every case.
 */
int sd_lesson_parse(const char *text, size_t size, const char *name, struct sd_lesson *out,
	const struct sd_sink *sink);
void sd_lesson_free(struct sd_lesson *l); /* accepts the zeroed value */

#endif
