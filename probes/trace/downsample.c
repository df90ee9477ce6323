#include "trace/downsample.h"

#include "trace/trace_codec.h"

/* 1 / share of the bound for rare events that all others need to be read: mappings, forks. */
#define RESERVE 32
#define MOST_SHARE 65536

/* For what is frequent. */
static uint64_t room(const struct sd_trace_buffer *s)
{
	return s->bound - s->bound / RESERVE;
}

uint64_t sd_downsample_share(const struct sd_trace_buffer *s)
{
	uint64_t share = 1, left = room(s) / 2;

	for (; share < MOST_SHARE && room(s) - left <= s->used; left /= 2)
		share *= 2;
	return share;
}

static int is_frequent(enum sd_event_kind kind)
{
	return kind == SD_EVENT_SAMPLE || kind == SD_EVENT_SWITCH_OUT ||
	       kind == SD_EVENT_SWITCH_IN || kind == SD_EVENT_WAKE || kind == SD_EVENT_SEEN;
}

/* With the event itself, so that the bound holds. */
static int is_full(const struct sd_trace_buffer *s, const struct sd_event *e)
{
	const uint64_t most = is_frequent(e->kind) ? room(s) : s->bound;

	return s->used + sd_trace_codec_most(e) > most;
}

/* Says where events are missing, once there is room for it. */
static void confess(
	struct sd_downsample *t, struct sd_trace_buffer *s, size_t stream, uint64_t time)
{
	if (!t->lost) /* asked for every event */
		return;
	if (sd_trace_codec_put(s, stream,
		    &(struct sd_event){.kind = SD_EVENT_LOST, .time = time, .count = t->lost}) == 0)
		t->lost = 0;
}

static int thin_sample(struct sd_downsample *t, uint64_t share, struct sd_event *e)
{
	t->weight += e->weight;
	if (++t->samples < share)
		return 0;
	e->weight = t->weight;
	t->weight = t->samples = 0;
	return 1;
}

static void thin_stack(struct sd_downsample *t, uint64_t share, struct sd_event *e)
{
	if (!e->regs.mask && !e->n_chain)
		return;
	if (++t->stacks >= share) {
		t->stacks = 0;
		return;
	}
	e->regs.mask = 0;
	e->n_chain = e->n_pointed = e->stack_size = 0;
}

uint64_t sd_downsample_put(
	struct sd_downsample *t, struct sd_trace_buffer *s, size_t stream, struct sd_event *e)
{
	const uint64_t share = sd_downsample_share(s);

	if (e->kind == SD_EVENT_SAMPLE && !thin_sample(t, share, e))
		return 0;
	if (e->kind == SD_EVENT_SWITCH_OUT)
		thin_stack(t, share, e);
	if (is_full(s, e)) {
		t->lost++;
		return 1;
	}
	confess(t, s, stream, e->time);
	if (sd_trace_codec_put(s, stream, e) == 0)
		return 0;
	t->lost++;
	return 1;
}
