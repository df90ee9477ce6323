#include "attribute/gap_weights.h"

/* The stretch that represents a gap. */
struct stand {
	uint64_t from, to;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The start of the gap after gap `i`, or the run's end. */
static uint64_t next_gap(const struct sd_timeline *t, size_t i)
{
	return i + 1 < t->n_gap ? t->gap[i + 1].from : t->end;
}

static struct stand stand_of(const struct sd_timeline *t, size_t i)
{
	const struct sd_gap *const g = &t->gap[i];
	const uint64_t length = g->to - g->from;
	const uint64_t before = least(length, g->from - (i ? g[-1].to : t->start));
	const uint64_t after = least(length, next_gap(t, i) - g->to);

	if (after > 0 && (i + 1 < t->n_gap || after >= before))
		return (struct stand){g->to, g->to + after};
	return (struct stand){g->from - before, g->from};
}

/* For gap i at `time`: represented time so far minus elapsed time of the gap. */
static int64_t surplus(const struct sd_timeline *t, size_t i, uint64_t time)
{
	const struct sd_gap *const g = &t->gap[i];
	const struct stand s = stand_of(t, i);
	const uint64_t over = time > g->from ? least(time, g->to) - g->from : 0;
	const uint64_t stood = time > s.from ? least(time, s.to) - s.from : 0;

	if (s.to == s.from) /* nothing was recorded near it: it represents itself */
		return 0;
	/* exactly the gap's length at the end */
	return (int64_t)((double)(g->to - g->from) * ((double)stood / (double)(s.to - s.from))) -
	       (int64_t)over;
}

/* For all other gaps the representing stretch is over, or has not begun. */
static size_t first_open(const struct sd_gap_weights *s)
{
	return s->at > 0 ? s->at - 1 : 0;
}

static size_t end_open(const struct sd_gap_weights *s)
{
	return least(s->at + 1, s->timeline->n_gap);
}

uint64_t sd_gap_weights_clock(struct sd_gap_weights *s, uint64_t time)
{
	const struct sd_timeline *const t = s->timeline;
	int64_t all = (int64_t)time;

	while (s->at < t->n_gap && t->gap[s->at].to < time)
		s->at++;
	for (size_t i = first_open(s); i < end_open(s); i++)
		all += surplus(t, i, time);
	return (uint64_t)all;
}

uint64_t sd_gap_weights_piece(const struct sd_gap_weights *s, uint64_t since, uint64_t time)
{
	const struct sd_timeline *const t = s->timeline;

	if (s->at < t->n_gap && t->gap[s->at].from < time)
		time = t->gap[s->at].from;
	if (s->at > 0 && t->gap[s->at - 1].to > since)
		since = t->gap[s->at - 1].to;
	return time > since ? time - since : 0;
}

double sd_gap_weights_for(const struct sd_gap_weights *s, uint64_t time)
{
	const struct sd_timeline *const t = s->timeline;
	double all = 1;

	for (size_t i = first_open(s); i < end_open(s); i++) {
		const struct sd_gap *const g = &t->gap[i];
		const struct stand by = stand_of(t, i);

		/* what is known of its end was not seen then: the beginning is not in it, the end
		 * is */
		if (time > g->from && time <= g->to)
			return 0;
		if (time > by.from && time <= by.to)
			all += (double)(g->to - g->from) / (double)(by.to - by.from);
	}
	return all;
}
