/*
 * The cache lines that the samples of a run were found to touch, kept until the run is over, since
 * only then it is known which threads took turns on them. Bounded: of too many samples every second
 * one goes, and those that stay stand for both.
 */
#ifndef SD_SAMPLE_TOUCHES_H
#define SD_SAMPLE_TOUCHES_H

#include <stddef.h>
#include <stdint.h>

#include "base/key_table.h"

#define SD_TOUCH_LINE 64u          /* bytes of a line; bit i of a mask is byte i */
#define SD_TOUCHES_MOST (1u << 21) /* of all samples: 80 MiB */
#define SD_TOUCH_SAMPLES_MOST (1u << 20)

/* Verdicts on a touch. READ: it takes turns with others' reads, and no sample writes the line then;
 * UNSURE: it may meet others' accesses, as far as so few samples show. */
enum sd_touch_met { SD_TOUCH_ALONE, SD_TOUCH_READ, SD_TOUCH_UNSURE, SD_TOUCH_PAIR, SD_TOUCH_MET };

/* One line that a sample touches. */
struct sd_touch {
	uint64_t space; /* its memory: of a process, or of a file that several map */
	uint64_t line;  /* address, or offset in the file, of the first byte */
	uint64_t read, written;
	uint32_t sample;
	uint8_t operand;     /* of the sample's plan, the nearest of those in the line */
	unsigned sure : 1;   /* it is touched whenever the sampled instruction runs */
	unsigned locked : 1; /* by an atomic access */
	unsigned split : 1;  /* which goes on in the next line */
	unsigned same : 1;   /* of MET: other threads that meet there use its bytes, too, and one
				writes them */
	unsigned lock : 1;   /* the bytes are a lock's word */
	unsigned met : 3;    /* enum sd_touch_met */
};

#define SD_TOUCH_UNSEEN UINT64_MAX /* there are more than the plan has */

struct sd_touch_sample {
	uint64_t time;   /* ns */
	float seconds;   /* of user CPU time that it stands for */
	uint32_t thread; /* of the run's */
	uint32_t plan;   /* of the code, a number of the caller's */
	uint32_t loop;   /* likewise */
	unsigned spins : 1;
	unsigned takes : 1; /* it spins for, or takes, a lock */
	uint64_t unknown;   /* operands of the plan whose addresses it does not tell, a bit each */
};

/* Zeroed is empty. */
struct sd_sample_touches {
	struct sd_touch_sample *sample; /* owned; in the order of time */
	size_t n_sample;
	struct sd_touch *touch; /* owned; ascending by sample */
	size_t n;
	unsigned every; /* one in 2^every is kept */
	uint64_t seen;  /* samples */
};

/* Adds a sample. 1: its touches may be added; 0: it is left out; -ENOMEM. */
int sd_sample_touches_begin(struct sd_sample_touches *t, const struct sd_touch_sample *s);

/* Adds an access of the sample begun last: `size` bytes, 0 unknown. The nearest ones come first.
 * 0 or -ENOMEM. */
int sd_sample_touches_add(struct sd_sample_touches *t, uint64_t space, uint64_t address,
	uint32_t size, int reads, int writes, const struct sd_touch *like);

/*
 * Words that are locks: those that threads wait at, and those that the code of locks, or a loop
 * that spins for one, met others at the same bytes of. Each thread's own lock in one line with the
 * others' is none. Words are keyed by (space, address / 8 + 1). 0 or -ENOMEM; _taken looks at the
 * first n touches, _mark sets `lock` of all that hold one of the words.
 */
int sd_sample_touches_word(struct sd_key_table *words, uint64_t space, uint64_t address);
int sd_sample_touches_taken(
	const struct sd_sample_touches *t, size_t n, struct sd_key_table *words);
void sd_sample_touches_mark(struct sd_sample_touches *t, const struct sd_key_table *words);

void sd_sample_touches_free(struct sd_sample_touches *t); /* accepts the zeroed value */

#endif
