#include "calibration/bench_sections.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

unsigned sd_bench_states(const struct sd_profile *p)
{
	return p->states.n > 1 ? p->states.n : 1;
}

int sd_bench_state(const struct sd_profile *p, unsigned i)
{
	return p->states.n > 1 ? (int)i : SD_PICK_ANY_STATE;
}

const char *sd_bench_state_name(unsigned i)
{
	static const char *const name[SD_STATES_MAX] = {"near", "far", "third", "fourth"};

	return i < SD_STATES_MAX ? name[i] : "unknown";
}

const char *sd_bench_state_title(const struct sd_profile *p, unsigned i)
{
	static const char *const title[SD_STATES_MAX] = {
		", near state", ", far state", ", third state", ", fourth state"};

	return p->states.n > 1 && i < SD_STATES_MAX ? title[i] : "";
}

const struct sd_bench_row *sd_bench_row_of(const struct sd_profile *p, const char *kernel,
	unsigned cores, int state, const char *words, ...)
{
	struct sd_pick_query q = {.kernel = kernel, .cores = cores, .state = state};
	char text[160];
	va_list ap;

	va_start(ap, words);
	vsnprintf(text, sizeof text, words, ap);
	va_end(ap);
	q.words = text;
	return sd_profile_pick(p, &q);
}

size_t sd_bench_words(const struct sd_profile *p, const char *kernel, const char *key,
	char word[][SD_BENCH_WORD], size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < p->rows.n && n < room; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];
		int is_new = strcmp(r->kernel, kernel) == 0 &&
			     sd_bench_row_key(r, key, word[n], SD_BENCH_WORD) == 0;

		for (size_t k = 0; is_new && k < n; k++)
			is_new = strcmp(word[k], word[n]) != 0;
		n += (size_t)is_new;
	}
	return n;
}

void sd_bench_cores(unsigned n, char *out, size_t size)
{
	snprintf(out, size, "%u core%s", n, n == 1 ? "" : "s");
}
