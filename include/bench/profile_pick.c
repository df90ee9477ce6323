#include "bench/profile_pick.h"

#include <string.h>

int sd_bench_row_has(const struct sd_bench_row *row)
{
	const enum sd_status s = sd_bench_row_value(row).status;

	return s == SD_STATUS_OK || s == SD_STATUS_NOISY;
}

static int has_word(const char *variant, const char *word, size_t n)
{
	for (const char *p = variant; *p;) {
		const size_t length = strcspn(p, " ");

		if (length == n && strncmp(p, word, n) == 0)
			return 1;
		p += length + strspn(p + length, " ");
	}
	return 0;
}

int sd_bench_row_words(const struct sd_bench_row *row, const char *words)
{
	while (words && *words) {
		const size_t n = strcspn(words, " ");

		if (n > 0 && !has_word(row->variant, words, n))
			return 0;
		words += n + strspn(words + n, " ");
	}
	return 1;
}

static int fits(const struct sd_bench_row *r, const struct sd_pick_query *q)
{
	return (!q->kernel || strcmp(r->kernel, q->kernel) == 0) &&
	       (q->cores == 0 || r->cores == q->cores) &&
	       (!q->cpus || strcmp(r->cpus, q->cpus) == 0) &&
	       (!q->unit || strcmp(r->unit, q->unit) == 0) && sd_bench_row_words(r, q->words);
}

static int is_better(
	const struct sd_bench_row *r, const struct sd_bench_row *best, enum sd_pick pick)
{
	return !best || (pick == SD_PICK_LEAST && r->median < best->median) ||
	       (pick == SD_PICK_MOST && r->median > best->median);
}

const struct sd_bench_row *sd_profile_pick(
	const struct sd_profile *p, const struct sd_pick_query *q)
{
	const struct sd_bench_row *best = NULL, *missing = NULL;

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (!fits(r, q))
			continue;
		if (!sd_bench_row_has(r))
			missing = missing ? missing : r;
		else if ((q->state < 0 || r->state == (unsigned)q->state) &&
			 is_better(r, best, q->pick))
			best = r;
	}
	return best ? best : missing;
}

size_t sd_profile_counts(
	const struct sd_profile *p, const char *kernel, unsigned *count, size_t room)
{
	unsigned last = 0;
	size_t n = 0;

	/* the next greater one, again and again: few counts, and no memory needed */
	while (n < room) {
		unsigned next = 0;

		for (size_t i = 0; i < p->rows.n; i++) {
			const struct sd_bench_row *r = &p->rows.row[i];

			if (r->cores > last && (next == 0 || r->cores < next) &&
				strcmp(r->kernel, kernel) == 0)
				next = r->cores;
		}
		if (next == 0)
			break;
		count[n++] = last = next;
	}
	return n;
}
