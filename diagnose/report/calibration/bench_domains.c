#include "calibration/bench_sections.h"

#include <stdio.h>
#include <string.h>

#include "calibration/bench_table.h"

static const char *const ops[] = {"triad", "copy", "scale", "add", "read", "write"};

/* "llc0", "numa1": the places that are parts of the machine, of whichever loop tells most. */
static size_t find_domains(const struct sd_profile *p, char domain[][SD_BENCH_WORD])
{
	char word[SD_BENCH_WORDS][SD_BENCH_WORD];
	size_t most = 0;

	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		const size_t words = sd_bench_words(p, ops[i], "place", word, SD_BENCH_WORDS);
		size_t n = 0;

		for (size_t k = 0; k < words; k++)
			n += strncmp(word[k], "llc", 3) == 0 || strncmp(word[k], "numa", 4) == 0;
		if (n <= most)
			continue;
		most = 0;
		for (size_t k = 0; k < words; k++)
			if (strncmp(word[k], "llc", 3) == 0 || strncmp(word[k], "numa", 4) == 0)
				memcpy(domain[most++], word[k], SD_BENCH_WORD);
	}
	return most;
}

/* The best loop on all cores of a domain, else why there is none; NULL nobody tried. */
static const struct sd_bench_row *best_of(const struct sd_profile *p, const char *domain, int state)
{
	char words[64];
	const struct sd_pick_query q = {
		.words = words, .unit = "GB/s", .state = state, .pick = SD_PICK_MOST};

	snprintf(words, sizeof words, "place=%s bytes=counted", domain);
	return sd_profile_pick(p, &q);
}

static size_t put_table(struct sd_page *g, const struct sd_profile *p, char domain[][SD_BENCH_WORD],
	size_t n, unsigned s)
{
	struct sd_table t;

	sd_table_begin(&t, g, "Memory bandwidth of each part of the machine, the best loop on it%s",
		sd_bench_state_title(p, s));
	sd_table_column(&t, "", "part");
	sd_table_column(&t, "", "CPUs");
	sd_table_column(&t, "", "loop");
	sd_table_column(&t, "", "GB/s");
	for (size_t i = 0; i < n; i++) {
		const struct sd_bench_row *r = best_of(p, domain[i], sd_bench_state(p, s));
		char stores[16] = "";

		if (!r || !sd_bench_row_has(r))
			continue;
		sd_bench_row_key(r, "stores", stores, sizeof stores);
		sd_table_line(&t, "%s", domain[i]);
		sd_table_text(&t, "%.24s", r->cpus);
		sd_table_text(&t, "%s%s", r->kernel, strcmp(stores, "nt") == 0 ? " nt" : "");
		sd_table_value(&t, r, SD_SCALE_PLAIN);
	}
	return sd_table_end(&t);
}

void sd_bench_section_domains(struct sd_page *g, const struct sd_profile *p, int all)
{
	char domain[SD_BENCH_WORDS][SD_BENCH_WORD];
	const size_t n = find_domains(p, domain);
	size_t shown = 0;

	(void)all;
	for (unsigned s = 0; n > 0 && s < sd_bench_states(p); s++)
		shown += put_table(g, p, domain, n, s);
	if (shown > 0)
		sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2,
			"llc: the cores that share a last-level cache; numa: those of a memory "
			"node, whose memory they use");
}
