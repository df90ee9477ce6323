#include "trace/timeline_parts.h"

#include "base/one_more.h"

int sd_timeline_parts_add(struct sd_timeline *t, uint64_t from, uint64_t to)
{
	if (from >= to || (t->n_part && from < t->part[t->n_part - 1].to))
		return 0;
	return SD_APPEND(t->part, t->n_part, &(struct sd_gap){from, to});
}

/* Position of a time: it only rises from call to call, unless *at is set back to 0. */
struct place {
	size_t at;     /* the parts before it are over */
	uint64_t over; /* of those */
};

static uint64_t moved(const struct sd_timeline *t, struct place *p, uint64_t time, int *inside)
{
	while (p->at < t->n_part && t->part[p->at].to <= time) {
		p->over += t->part[p->at].to - t->part[p->at].from;
		p->at++;
	}
	*inside = p->at < t->n_part && t->part[p->at].from <= time;
	return t->start + p->over + (*inside ? time - t->part[p->at].from : 0);
}

void sd_timeline_parts_keep(struct sd_timeline *t)
{
	struct place place = {0};
	size_t n = 0;
	int inside;

	if (!t->n_part)
		return;
	for (size_t i = 0; i < t->n; i++) {
		struct sd_moment m = t->moment[i];

		m.time = moved(t, &place, m.time, &inside);
		if (inside || m.kind != SD_MOMENT_SAMPLE)
			t->moment[n++] = m;
	}
	t->n = n;
	place = (struct place){0};
	for (size_t i = 0; i < t->n_gap; i++) {
		t->gap[i].from = moved(t, &place, t->gap[i].from, &inside);
		t->gap[i].to = moved(t, &place, t->gap[i].to, &inside);
	}
	place = (struct place){0};
	t->end = moved(t, &place, t->end, &inside);
}
