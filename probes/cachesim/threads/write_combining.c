#include "threads/write_combining.h"

#include "threads/single_thread.h"
#include "threads/guest_thread.h"

/* The buffer of a line; *begun: it is a new one, in place of an empty one or the oldest. */
static struct sim_stream_buffer *buffer_of(struct sim_stream *s, uint64_t line, int *begun)
{
	struct sim_stream_buffer *oldest = s->buffer;

	for (unsigned i = 0; i < SIM_STREAM_BUFFERS; i++) {
		if (s->buffer[i].line1 == line + 1)
			return &s->buffer[i];
		if (s->buffer[i].begun < oldest->begun)
			oldest = &s->buffer[i];
	}
	*begun = 1;
	*oldest = (struct sim_stream_buffer){.line1 = line + 1, .begun = ++s->begun};
	return oldest;
}

void sim_stream_store(struct sim_thread *t, uint64_t address, uint64_t bytes, unsigned size,
	const struct sim_ins *ins)
{
	const uint64_t line = address >> t->line_shift,
		       whole = t->line_mask < 63 ? (1ull << (t->line_mask + 1)) - 1 : ~0ull;
	const int held = sim_thread_drop(t, line);
	int begun = 0;
	struct sim_stream_buffer *const b = buffer_of(&t->stream, line, &begun);

	b->bytes |= bytes;
	if (b->bytes == whole)
		*b = (struct sim_stream_buffer){0};
	t->count.write_backs += (uint64_t)begun;
	t->count.streamed += (uint64_t)begun;
	if (t->solo && (begun || held >= 0))
		sim_single_stream(t, line, held == 1);
	else if (!t->solo && (begun || held >= 0 || t->hot[sim_hot(line)]))
		sim_thread_log(t, (struct sim_event){.time = sim_thread_now(t, ins),
					  .address = address,
					  .ins = ins,
					  .size = (uint8_t)size,
					  .kind = SIM_EVENT_STREAM,
					  .store = 1});
}
