#include "trace/trace_buffer.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/one_more.h"

/* Written while the program runs, which pays for it: pages of its own, all there at once, and not
 * shared with the processes that are forked, which would have them copied at the first write. */
#define CHUNK (128u * 1024 - sizeof(struct sd_chunk))

int sd_trace_buffer_add(struct sd_trace_buffer *s, unsigned cpu)
{
	return SD_APPEND(s->stream, s->n, &(struct sd_stream){.cpu = cpu});
}

struct sd_chunk *sd_trace_buffer_room(
	struct sd_trace_buffer *s, size_t stream, size_t most, uint64_t base)
{
	struct sd_chunk *const last = s->stream[stream].last;

	if (last && last->room - last->n >= most)
		return last;
	return sd_trace_buffer_fresh(s, stream, most > CHUNK ? most : CHUNK, base);
}

static void unmap(struct sd_chunk *c)
{
	munmap(c, sizeof *c + c->room);
}

static struct sd_chunk *chunk_of(struct sd_trace_buffer *s, size_t room)
{
	struct sd_chunk *c = s->spare && room == CHUNK ? s->spare->first : NULL;

	if (c) {
		s->spare->first = c->next;
		s->spare->n--;
		return c;
	}
	c = mmap(NULL, sizeof *c + room, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | (room == CHUNK ? MAP_POPULATE : 0), -1, 0);
	if (c == MAP_FAILED)
		return NULL;
	(void)madvise(c, sizeof *c + room, MADV_DONTFORK);
	return c;
}

static void drop(struct sd_trace_buffer *s, struct sd_chunk *c)
{
	if (!s->spare || c->room != CHUNK || s->spare->n >= SD_SPARE_CHUNKS) {
		unmap(c);
		return;
	}
	c->next = s->spare->first;
	s->spare->first = c;
	s->spare->n++;
}

void sd_spare_chunks_free(struct sd_spare_chunks *s)
{
	for (struct sd_chunk *c = s->first, *next; c; c = next) {
		next = c->next;
		unmap(c);
	}
	*s = (struct sd_spare_chunks){0};
}

struct sd_chunk *sd_trace_buffer_fresh(
	struct sd_trace_buffer *s, size_t stream, size_t room, uint64_t base)
{
	struct sd_stream *const to = &s->stream[stream];
	struct sd_chunk *const fresh = room > UINT32_MAX ? NULL : chunk_of(s, room);

	if (!fresh)
		return NULL;
	*fresh = (struct sd_chunk){.base = base, .last = base, .room = (uint32_t)room};
	if (to->last)
		to->last->next = fresh;
	else
		to->first = fresh;
	to->last = fresh;
	return fresh;
}

void sd_trace_buffer_used(struct sd_trace_buffer *s, struct sd_chunk *chunk, size_t n)
{
	chunk->n += (uint32_t)n;
	s->used += n;
}

void sd_trace_buffer_empty(struct sd_trace_buffer *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (struct sd_chunk *c = s->stream[i].first, *next; c; c = next) {
			next = c->next;
			drop(s, c);
		}
	free(s->stream);
	*s = (struct sd_trace_buffer){.bound = s->bound, .spare = s->spare};
}

void sd_trace_buffer_free(struct sd_trace_buffer *s)
{
	sd_trace_buffer_empty(s);
	*s = (struct sd_trace_buffer){0};
}
