#include "analysis/lane_steps.h"

struct walk {
	const struct sd_thread_lanes_thread *lane;
	int (*each)(void *ctx, const struct sd_lane_step *step);
	void *ctx;
	uint64_t at;   /* until here all is told */
	size_t sample; /* the first that is not told */
	int rc;
};

static void step(struct walk *w, uint64_t to, enum sd_lane_step_kind kind,
	enum sd_activity activity, unsigned node, const struct sd_thread_lanes_span *span)
{
	const struct sd_lane_step s = {kind, w->at, to, activity, node, span};

	if (to <= w->at || w->rc)
		return;
	w->rc = w->each(w->ctx, &s);
	w->at = to;
}

/* Up to `to`, the samples and, where none is, `rest`. */
static void tell(struct walk *w, uint64_t to, enum sd_lane_step_kind rest,
	const struct sd_thread_lanes_span *span)
{
	const struct sd_thread_lanes_thread *const lane = w->lane;

	for (; w->sample < lane->n_sample && lane->sample[w->sample].time <= to; w->sample++) {
		const struct sd_thread_lanes_sample *const s = &lane->sample[w->sample];

		step(w, s->from < to ? s->from : to, rest, SD_THREAD_LANES_ON_CPU, 0, span);
		step(w, s->to < to ? s->to : to, SD_LANE_STEP_SAMPLED, s->activity, s->node, span);
	}
	step(w, to, rest, SD_THREAD_LANES_ON_CPU, 0, span);
}

static int waits(const struct sd_thread_lanes_span *s)
{
	return s->activity < SD_ACTIVITY_COUNT &&
	       sd_activity_info[s->activity].group == SD_GROUP_WAITING;
}

int sd_lane_steps_each(const struct sd_thread_lanes_thread *lane, uint64_t length,
	int (*each)(void *ctx, const struct sd_lane_step *step), void *ctx)
{
	struct walk w = {.lane = lane, .each = each, .ctx = ctx};

	for (size_t i = 0; i < lane->n_span && !w.rc; i++) {
		const struct sd_thread_lanes_span *const s = &lane->span[i];
		const uint64_t to = s->to < length ? s->to : length;

		tell(&w, s->from < length ? s->from : length, SD_LANE_STEP_UNKNOWN, NULL);
		if (!waits(s))
			tell(&w, to, SD_LANE_STEP_ON_CPU, s);
		else
			step(&w, to, SD_LANE_STEP_WAITED, s->activity, s->node, s);
	}
	tell(&w, length, SD_LANE_STEP_UNKNOWN, NULL);
	return w.rc;
}

const char *sd_lane_steps_label(enum sd_activity activity)
{
	return activity < SD_ACTIVITY_COUNT ? sd_activity_info[activity].label : "on a CPU";
}
