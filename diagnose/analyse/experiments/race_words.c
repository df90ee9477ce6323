/*
 * Races that Helgrind named: both accesses, with their callers, and whether their line is
 * contested.
 */
#include "experiments/race_words.h"

#include <stdio.h>
#include <string.h>

#include "analysis/code_place.h"

#define CALLERS 3

const struct sd_experiment_run *sd_race_words_run(const struct sd_record *record, size_t index)
{
	for (size_t i = 0; i < record->n_run; i++)
		if (record->run[i].tried && record->run[i].tried->experiment == index &&
			record->plan.experiment[index].experiment == SD_EXPERIMENT_RACE_CHECK)
			return record->run[i].tried;
	return NULL;
}

static int same_code(const struct sd_stacks *s, unsigned a, unsigned b)
{
	const struct sd_frame *const x = &s->frame[s->node[a].frame],
				     *const y = &s->frame[s->node[b].frame];

	return a && b && x->function && x->function == y->function &&
	       (!x->line || !y->line || x->line == y->line);
}

/* Does a contested line, of a simulated or of a sampled run, have this code? */
static int is_contested(const struct sd_record *record, unsigned node)
{
	for (size_t i = 0; i < record->n_run; i++) {
		const struct sd_simulated *const s = record->run[i].simulated;
		const struct sd_memory_sampled *const m = record->run[i].memory;

		for (size_t k = 0; s && k < s->n_contested; k++)
			for (size_t c = 0; c < s->contested[k].n_code; c++)
				if (same_code(&record->stacks, node, s->contested[k].code[c].node))
					return 1;
		for (size_t k = 0; m && k < m->n_contested; k++)
			for (size_t c = 0; c < m->contested[k].line.n_code; c++)
				if (same_code(&record->stacks, node,
					    m->contested[k].line.code[c].node))
					return 1;
	}
	return 0;
}

void sd_race_words(const struct sd_record *record, const struct sd_race *r, char *out, size_t size)
{
	char first[300], second[300];
	const char *const name = r->name ? record->stacks.text[r->name] : "unnamed memory";

	sd_code_place_callers(&record->stacks, r->node[0], CALLERS, first, sizeof first);
	sd_code_place_callers(&record->stacks, r->node[1], CALLERS, second, sizeof second);
	snprintf(out, size, "%.200s (%u bytes): %s %s, and %s %s before, in no order%s", name,
		r->bytes, first[0] ? first : "unknown code", r->write[0] ? "writes" : "reads",
		second[0] ? second : "unknown code", r->write[1] ? "wrote" : "read",
		is_contested(record, r->node[0]) || is_contested(record, r->node[1])
			? "; its line is contested"
			: "");
}

int sd_race_words_seen(const struct sd_record *record, size_t index, struct sd_tested *t)
{
	const struct sd_experiment_run *const x = sd_race_words_run(record, index);
	char text[1024];
	int rc;

	if (!x)
		return 0;
	if (x->n_race_seen == 0)
		return sd_texts_add(&t->seen, "no race in one run: none on the paths that it took");
	rc = sd_texts_add(&t->seen,
		"%zu race%s in one run by Helgrind, which takes atomic loads and stores for plain "
		"ones",
		x->n_race_seen, x->n_race_seen == 1 ? "" : "s");
	for (size_t i = 0; i < x->n_race && rc == 0; i++) {
		sd_race_words(record, &x->race[i], text, sizeof text);
		rc = sd_texts_add(&t->seen, "%s", text);
	}
	return rc;
}
