#include "trace/trace_codec.h"

#include <errno.h>
#include <string.h>

#define KIND 0x0f
#define KERNEL 0x10
#define PREEMPTED 0x20
#define DETAIL 0x40
#define STACK_ID 0x80
#define DATA DETAIL /* of a MAP: it is an SD_EVENT_DATA, for whose number KIND has no room */

#define NUMBER 10 /* most bytes of a packed number */

static uint64_t folded(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t unfolded(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return folded((int64_t)(a - b));
}

/* ---- writing: the room was made before ---- */

static unsigned char *put(unsigned char *p, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

static unsigned char *put_int(unsigned char *p, int v, int last)
{
	return put(p, folded((int64_t)v - last));
}

static unsigned char *put_bytes(unsigned char *p, const void *from, size_t n)
{
	p = put(p, n);
	if (n)
		memcpy(p, from, n);
	return p + n;
}

static unsigned char *put_name(unsigned char *p, const char *name)
{
	const size_t n = strlen(name);

	p = put_bytes(p, name, n);
	*p++ = '\0';
	return p;
}

static unsigned char *put_detail(unsigned char *p, const struct sd_event *e)
{
	uint64_t last = e->ip;

	p = put(p, e->ip);
	p = put(p, e->n_chain);
	for (size_t i = 0; i < e->n_chain; last = e->chain[i++])
		p = put(p, minus(e->chain[i], last));
	p = put(p, e->n_pointed);
	for (size_t i = 0; i < e->n_pointed; last = e->pointed[i++])
		p = put(p, minus(e->pointed[i], last));
	p = put(p, e->regs.mask);
	for (uint64_t mask = e->regs.mask; mask; mask &= mask - 1)
		p = put(p, e->regs.reg[__builtin_ctzll(mask)]);
	p = put(p, e->stack_at);
	return put_bytes(p, e->stack, e->stack_size);
}

static unsigned char *put_map(unsigned char *p, const struct sd_event *e)
{
	const uint64_t number[] = {e->address, e->size, e->offset, e->major, e->minor, e->inode};

	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		p = put(p, number[i]);
	p = put_bytes(p, e->build_id, e->n_build_id);
	return put_name(p, e->name);
}

static int has_detail(const struct sd_event *e)
{
	return e->kind == SD_EVENT_SAMPLE || e->kind == SD_EVENT_SEEN ||
	       (e->kind == SD_EVENT_SWITCH_OUT && (e->regs.mask || e->n_chain));
}

static unsigned char *put_body(unsigned char *p, const struct sd_event *e)
{
	switch (e->kind) {
	case SD_EVENT_SAMPLE:
		return put_detail(put(p, e->weight), e);
	case SD_EVENT_SWITCH_OUT:
		return has_detail(e) ? put_detail(p, e) : e->stack_id ? put(p, e->stack_id) : p;
	case SD_EVENT_SEEN:
		return put_name(put_detail(p, e), e->name);
	case SD_EVENT_WAKE:
	case SD_EVENT_FORK:
		return put_int(p, e->other, e->tid);
	case SD_EVENT_MAP:
		return put_map(p, e);
	case SD_EVENT_DATA:
		return put(put_map(p, e), e->count);
	case SD_EVENT_NAME:
	case SD_EVENT_END:
		return put_name(p, e->name);
	case SD_EVENT_LOST:
		return put(p, e->count);
	case SD_EVENT_BARRIER:
	case SD_EVENT_PART:
		return put(put(p, e->address), e->count);
	case SD_EVENT_SWITCH_IN:
	case SD_EVENT_EXEC:
	case SD_EVENT_EXIT:
	case SD_EVENT_SHUT:
	case SD_EVENT_OPEN:
		break;
	}
	return p;
}

size_t sd_trace_codec_most(const struct sd_event *e)
{
	size_t n = 1 + 16 * NUMBER;

	if (has_detail(e))
		n += NUMBER * (e->n_chain + e->n_pointed + SD_TRACE_REGS) + e->stack_size;
	if (e->name)
		n += strlen(e->name) + 1 + sizeof e->build_id;
	return n;
}

int sd_trace_codec_put(struct sd_trace_buffer *s, size_t stream, const struct sd_event *e)
{
	const struct sd_chunk *const before = s->stream[stream].last;
	const uint64_t time = before && before->last > e->time ? before->last : e->time;
	struct sd_chunk *const c = sd_trace_buffer_room(s, stream, sd_trace_codec_most(e), time);
	unsigned char *p;

	if (!c)
		return -ENOMEM;
	p = c->bytes + c->n;
	*p++ = (unsigned char)((e->kind == SD_EVENT_DATA ? SD_EVENT_MAP | DATA : e->kind) |
			       (e->kernel ? KERNEL : 0) | (e->preempted ? PREEMPTED : 0) |
			       (has_detail(e)        ? DETAIL
				       : e->stack_id ? STACK_ID
						     : 0));
	p = put(p, time - c->last);
	p = put_int(p, e->tid, c->tid);
	p = put_int(p, e->pid, e->tid);
	p = put_body(p, e);
	c->last = time;
	c->tid = e->tid;
	sd_trace_buffer_used(s, c, (size_t)(p - c->bytes) - c->n);
	return 0;
}

/* ---- reading: every byte may be wrong ---- */

struct source {
	const unsigned char *p, *end;
	int bad;
};

static uint64_t get(struct source *s)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (s->p == s->end)
			break;
		v |= (uint64_t)(*s->p & 0x7f) << shift;
		if (!(*s->p++ & 0x80))
			return v;
	}
	s->bad = 1;
	return 0;
}

static int get_int(struct source *s, int last)
{
	return (int)(uint32_t)((uint64_t)last + (uint64_t)unfolded(get(s)));
}

static const unsigned char *get_bytes(struct source *s, size_t *n)
{
	const unsigned char *const p = s->p;
	const uint64_t size = get(s);

	*n = 0;
	if (size > (uint64_t)(s->end - s->p)) {
		s->bad = 1;
		return p;
	}
	*n = (size_t)size;
	s->p += size;
	return s->p - size;
}

static const char *get_name(struct source *s)
{
	size_t n;
	const char *const name = (const char *)get_bytes(s, &n);

	if (s->bad || s->p == s->end || *s->p++ || strlen(name) != n) {
		s->bad = 1;
		return "";
	}
	return name;
}

static size_t get_chain(struct source *s, uint64_t *chain, size_t most, uint64_t *last)
{
	const uint64_t n = get(s);

	if (n > most) {
		s->bad = 1;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		*last = chain[i] = *last + (uint64_t)unfolded(get(s));
	return (size_t)n;
}

static void get_detail(struct source *s, struct sd_event *e, uint64_t *chain)
{
	uint64_t last = e->ip = get(s);

	e->chain = chain;
	e->n_chain = get_chain(s, chain, SD_RAW_CHAIN, &last);
	e->pointed = chain + e->n_chain;
	e->n_pointed = get_chain(s, chain + e->n_chain, SD_RAW_CHAIN - e->n_chain, &last);
	e->regs.mask = get(s);
	for (uint64_t mask = e->regs.mask; mask && !s->bad; mask &= mask - 1)
		e->regs.reg[__builtin_ctzll(mask)] = get(s);
	e->stack_at = get(s);
	e->stack = get_bytes(s, &e->stack_size);
}

static void get_map(struct source *s, struct sd_event *e)
{
	const unsigned char *id;

	e->address = get(s);
	e->size = get(s);
	e->offset = get(s);
	e->major = (uint32_t)get(s);
	e->minor = (uint32_t)get(s);
	e->inode = get(s);
	id = get_bytes(s, &e->n_build_id);
	if (e->n_build_id > sizeof e->build_id)
		s->bad = 1;
	else
		memcpy(e->build_id, id, e->n_build_id);
	e->name = get_name(s);
}

static void get_body(struct source *s, struct sd_event *e, unsigned flags, uint64_t *chain)
{
	switch (e->kind) {
	case SD_EVENT_SAMPLE:
		e->weight = get(s);
		get_detail(s, e, chain);
		break;
	case SD_EVENT_SWITCH_OUT:
		if (flags & DETAIL)
			get_detail(s, e, chain);
		else if (flags & STACK_ID)
			e->stack_id = (uint32_t)get(s);
		break;
	case SD_EVENT_SEEN:
		get_detail(s, e, chain);
		e->name = get_name(s);
		break;
	case SD_EVENT_WAKE:
	case SD_EVENT_FORK:
		e->other = get_int(s, e->tid);
		break;
	case SD_EVENT_MAP:
		get_map(s, e);
		break;
	case SD_EVENT_DATA:
		get_map(s, e);
		e->count = get(s);
		break;
	case SD_EVENT_NAME:
	case SD_EVENT_END:
		e->name = get_name(s);
		break;
	case SD_EVENT_LOST:
		e->count = get(s);
		break;
	case SD_EVENT_BARRIER:
	case SD_EVENT_PART:
		e->address = get(s);
		e->count = get(s);
		break;
	case SD_EVENT_SWITCH_IN:
	case SD_EVENT_EXEC:
	case SD_EVENT_EXIT:
	case SD_EVENT_SHUT:
	case SD_EVENT_OPEN:
		break;
	}
}

void sd_trace_codec_begin(struct sd_trace_codec *t, const struct sd_stream *from)
{
	t->chunk = from->first;
	t->cpu = from->cpu;
	t->at = 0;
	t->tid = 0;
	t->time = from->first ? from->first->base : 0;
}

/* Chunks of a file may begin before the last one ended: time never goes back. */
static void next_chunk(struct sd_trace_codec *t)
{
	t->chunk = t->chunk->next;
	t->at = 0;
	t->tid = 0;
	if (t->chunk && t->chunk->base > t->time)
		t->time = t->chunk->base;
}

int sd_trace_codec_next(struct sd_trace_codec *t, struct sd_event *e)
{
	struct source s;
	unsigned first;
	uint64_t since;

	while (t->chunk && t->at >= t->chunk->n)
		next_chunk(t);
	if (!t->chunk)
		return 0;
	s = (struct source){.p = t->chunk->bytes + t->at, .end = t->chunk->bytes + t->chunk->n};
	first = *s.p++;
	since = get(&s);
	sd_event_clear(e);
	e->kind = (enum sd_event_kind)(first & KIND);
	if (e->kind == SD_EVENT_MAP && first & DATA)
		e->kind = SD_EVENT_DATA;
	e->cpu = t->cpu;
	e->kernel = (first & KERNEL) != 0;
	e->preempted = (first & PREEMPTED) != 0;
	e->tid = get_int(&s, t->tid);
	e->pid = get_int(&s, e->tid);
	if (since > UINT64_MAX - t->time)
		s.bad = 1;
	else
		get_body(&s, e, first, t->chain);
	if (s.bad) {
		*e = (struct sd_event){
			.kind = SD_EVENT_LOST, .cpu = t->cpu, .time = t->time, .count = 1};
		t->at = t->chunk->n;
		return 1;
	}
	e->time = t->time += since;
	t->tid = e->tid;
	t->at = (size_t)(s.p - t->chunk->bytes);
	return 1;
}
