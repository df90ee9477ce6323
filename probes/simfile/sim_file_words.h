/*
 * Parses the words of one line of the software PMU plugin's file (sim_file.h). Every byte is
 * checked; errors are reported with the line number. All functions return 0 or -EBADMSG.
 */
#ifndef SD_SIM_FILE_WORDS_H
#define SD_SIM_FILE_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "simfile/sim_file.h"

/* The reader's position. `rest` is the line after its keyword. */
struct sd_sim_file_words {
	struct sd_sim_file *f;
	const char *rest;
	unsigned line;
	char *why;
	size_t n;
	int ended;
	size_t distances; /* threads whose distances have been read */
};

/* Reports an error in the line; returns -EBADMSG. */
int sd_sim_file_words_bad(const struct sd_sim_file_words *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The next word as a number; hexadecimal with 0x. */
int sd_sim_file_words_u64(struct sd_sim_file_words *r, uint64_t *out);

/* The same, limited to `high`. */
int sd_sim_file_words_below(struct sd_sim_file_words *r, uint64_t high, uint64_t *out);
int sd_sim_file_words_unsigned(struct sd_sim_file_words *r, uint64_t high, unsigned *out);
int sd_sim_file_words_int(struct sd_sim_file_words *r, int high, int *out);

/* The next word as a count of events. */
int sd_sim_file_words_count(struct sd_sim_file_words *r, double *out);
int sd_sim_file_words_counts(struct sd_sim_file_words *r, double *const *to, size_t n);

/* The rest of the line as text, which must fit. */
int sd_sim_file_words_text(struct sd_sim_file_words *r, char *out, size_t size);

/*
 * Appends a zeroed element to an array limited to `most`; `array` is the address of its pointer.
 * NULL: out of memory, or too many (-ENOMEM or -EBADMSG in *rc).
 */
void *sd_sim_file_words_append(
	struct sd_sim_file_words *r, void *array, size_t *n, size_t size, size_t most, int *rc);

#endif
