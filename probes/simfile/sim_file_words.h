/*
 * The words of one line of the file that the software PMU's plugin writes (simfile.h). Every byte
 * is checked; what is wrong is said with the line's number. All return 0 or -EBADMSG.
 */
#ifndef SD_SIMWORDS_H
#define SD_SIMWORDS_H

#include <stddef.h>
#include <stdint.h>

#include "simfile/sim_file.h"

/* Where the reader is. `rest` is what follows the keyword of a line. */
struct sd_simwords {
	struct sd_simfile *f;
	const char *rest;
	unsigned line;
	char *why;
	size_t n;
	int ended;
	size_t distances; /* threads whose distances have come */
};

/* Says what is wrong with the line; always -EBADMSG. */
int sd_simwords_bad(const struct sd_simwords *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The next word as a number; hexadecimal with 0x. */
int sd_simwords_u64(struct sd_simwords *r, uint64_t *out);

/* The same, at most `high`. */
int sd_simwords_below(struct sd_simwords *r, uint64_t high, uint64_t *out);
int sd_simwords_unsigned(struct sd_simwords *r, uint64_t high, unsigned *out);
int sd_simwords_int(struct sd_simwords *r, int high, int *out);

/* The next word as a count of events. */
int sd_simwords_count(struct sd_simwords *r, double *out);
int sd_simwords_counts(struct sd_simwords *r, double *const *to, size_t n);

/* The rest of the line as text; it must fit. */
int sd_simwords_text(struct sd_simwords *r, char *out, size_t size);

/*
 * One more element, zeroed, of an array of at most `most`; `array` is the address of its pointer.
 * NULL: no memory, or too many (-ENOMEM, -EBADMSG in *rc).
 */
void *sd_simwords_append(
	struct sd_simwords *r, void *array, size_t *n, size_t size, size_t most, int *rc);

#endif
