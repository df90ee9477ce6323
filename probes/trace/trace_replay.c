#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/trace_state.h"
#include "trace/trace_codec.h"

/* A stream, and its next event. */
struct head {
	struct sd_trace_codec trail;
	struct sd_event event;
};

/* The streams' heads, the earliest first in a heap. */
struct merge {
	struct head *head;
	struct head **heap;
	size_t n;
};

static int is_before(const struct head *a, const struct head *b)
{
	return a->event.time != b->event.time ? a->event.time < b->event.time : a < b;
}

static void sink_down(struct merge *m, size_t i)
{
	for (;;) {
		size_t least = i;
		struct head *const moved = m->heap[i];

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < m->n; child++)
			if (is_before(m->heap[child], m->heap[least]))
				least = child;
		if (least == i)
			return;
		m->heap[i] = m->heap[least];
		m->heap[least] = moved;
		i = least;
	}
}

static int begin(struct merge *m, const struct sd_trace_buffer *s)
{
	m->n = 0;
	m->head = calloc(s->n ? s->n : 1, sizeof *m->head);
	m->heap = calloc(s->n ? s->n : 1, sizeof(struct head *));
	if (!m->head || !m->heap)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		sd_trace_codec_begin(&m->head[i].trail, &s->stream[i]);
		if (sd_trace_codec_next(&m->head[i].trail, &m->head[i].event))
			m->heap[m->n++] = &m->head[i];
	}
	for (size_t i = m->n; i-- > 0;)
		sink_down(m, i);
	return 0;
}

int sd_trace_replay(
	struct sd_capture *c, int (*each)(void *ctx, const struct sd_event *event), void *ctx)
{
	struct merge m = {0};
	int rc = begin(&m, &c->spool);

	while (rc == 0 && m.n) {
		struct head *const first = m.heap[0];

		rc = each(ctx, &first->event);
		if (!sd_trace_codec_next(&first->trail, &first->event))
			m.heap[0] = m.heap[--m.n];
		if (m.n)
			sink_down(&m, 0);
	}
	free(m.head);
	free(m.heap);
	return rc;
}
