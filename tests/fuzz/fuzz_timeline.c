/*
 * Any order of switches, wake-ups, samples and gaps, as a timeline, to the account of a run: eight
 * bytes a moment, so that few bytes reach far. Whatever happened, the account ends, and no time is
 * negative or more than there was.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/blame.h"
#include "attribute/fill_gaps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOMENT 8u
#define MOMENTS 4096u
#define THREADS 7u
#define NODES 5u

static void make_stacks(struct sd_stacks *s)
{
	static const char *const name[NODES] = {"main", "work", "wait", "lock", "other"};
	unsigned above = 0;

	for (unsigned i = 0; i < NODES; i++) {
		struct sd_frame frame = {.line = i};
		unsigned number;

		if (sd_stacks_text(s, name[i], &frame.function) ||
			sd_stacks_frame(s, &frame, &number) ||
			sd_stacks_node(s, i % 2 ? above : 0, number, &above))
			abort();
	}
}

/* Bytes: kind and gap; thread; other; activity; node; place and atomic; time since the last (2). */
static void add_moment(struct sd_timeline *t, const uint8_t *p, uint64_t *now)
{
	struct sd_moment m = {.kind = (enum sd_moment_kind)(p[0] % (SD_MOMENT_EXIT + 1)),
		.activity = (enum sd_activity)(p[3] % SD_ACTIVITY_COUNT),
		.node = p[4] % (NODES + 1),
		.atomic = p[5] >> 7,
		.ip = p[4],
		.sp = p[2]};
	int fresh;

	*now += (p[6] + 256u * p[7]) * 1000u;
	m.time = *now;
	if (p[0] & 0x40 && sd_timeline_shut(t, *now))
		abort();
	if (p[0] & 0x80)
		sd_timeline_open(t, *now);
	if (m.kind == SD_MOMENT_BORN
			? sd_timeline_born(t, 1 + p[1] % 3, 1 + p[1] % THREADS, 1, &m.thread)
			: sd_timeline_thread(t, 1 + p[1] % 3, 1 + p[1] % THREADS, &m.thread))
		abort();
	if (m.kind == SD_MOMENT_WAKE &&
		sd_timeline_thread(t, 1 + p[2] % 3, 1 + p[2] % THREADS, &m.other))
		abort();
	if (m.kind == SD_MOMENT_OUT && p[5] & 0x7f) {
		if (sd_timeline_place(t, 1, 64u * (p[5] & 7), m.node, m.activity, &m.lock, &fresh))
			abort();
		m.lock++;
	}
	if (m.kind == SD_MOMENT_SAMPLE)
		m.weight = 1000000u;
	if (sd_timeline_add(t, &m))
		abort();
}

static void account(struct sd_timeline *t, struct sd_stacks *stacks)
{
	const double most = 1e-6 + (double)(t->end - t->start) * 1e-9 * (double)(t->n_thread + 2);
	struct sd_sampled sampled = {0};
	struct sd_blame charges;
	double idle[SD_IDLE_COUNT];

	if (sd_blame_make(&charges, t, stacks, 2) || sd_blame_rows(&charges, stacks, &sampled))
		abort();
	sd_blame_idle(&charges, idle);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		if (!(idle[i] >= -1e-6) || idle[i] > most)
			abort();
	for (size_t i = 0; i < sampled.n_use; i++)
		if (!(sampled.use[i].seconds >= 0) || sampled.use[i].node >= stacks->n_node + 1)
			abort();
	sd_sampled_free(&sampled);
	sd_blame_free(&charges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_timeline t = {.first = 1};
	struct sd_stacks stacks = {0};
	uint64_t now = 1000;

	if (size < MOMENT || size > MOMENT * MOMENTS)
		return 0;
	make_stacks(&stacks);
	t.start = now;
	t.together = data[0] & 0x20 ? 1 : 0;
	for (size_t i = 0; i + MOMENT <= size; i += MOMENT)
		add_moment(&t, data + i, &now);
	t.end = now;
	sd_timeline_bound(&t);
	if (sd_fill_gaps(&t))
		abort();
	account(&t, &stacks);
	sd_timeline_free(&t);
	sd_stacks_free(&stacks);
	return 0;
}
