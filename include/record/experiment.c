#include "record/experiment.h"

#include <errno.h>
#include <string.h>

static const struct sd_prediction predictions[] = {
#define P(e, c, moved, text) {SD_EXPERIMENT_##e, SD_CAUSE_##c, SD_BOUND_##moved, text},
	SD_EXPERIMENT_PREDICTIONS(P)
#undef P
		{.of = SD_EXPERIMENT_COUNT}};

const struct sd_prediction *sd_experiment_predictions(enum sd_experiment e)
{
	const struct sd_prediction *p = predictions;

	while (p->of != e && p->of != SD_EXPERIMENT_COUNT)
		p++;
	return p;
}

unsigned long sd_experiment_moving(enum sd_cause cause, unsigned sides)
{
	unsigned long set = 0;

	for (const struct sd_prediction *p = predictions; p->of != SD_EXPERIMENT_COUNT; p++)
		if (p->cause == cause && p->sides & sides)
			set |= 1ul << p->of;
	return set;
}

const struct sd_experiment_info sd_experiment_info[SD_EXPERIMENT_COUNT] = {
#define X(id, n, where, c, d) \
	[SD_EXPERIMENT_##id] = {.name = n, .does = d, .at = SD_EXPERIMENT_##where, .cost = c},
	SD_EXPERIMENTS(X)
#undef X
};

int sd_experiment_parse(const char *name, enum sd_experiment *out)
{
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		if (name && strcmp(name, sd_experiment_info[i].name) == 0) {
			*out = (enum sd_experiment)i;
			return 0;
		}
	return -EINVAL;
}

const char *const sd_look_name[SD_LOOK_COUNT] = {
#define X(id, name, words) [SD_LOOK_##id] = name,
	SD_LOOKS(X)
#undef X
};

const char *const sd_look_words[SD_LOOK_COUNT] = {
#define X(id, name, words) [SD_LOOK_##id] = words,
	SD_LOOKS(X)
#undef X
};

const struct sd_look_move sd_look_move[] = {
#define P(look, cause, sides) {SD_LOOK_##look, SD_CAUSE_##cause, SD_BOUND_##sides},
	SD_LOOK_MOVES(P)
#undef P
};
const size_t sd_look_moves = sizeof sd_look_move / sizeof *sd_look_move;
