#include "python/python_stack.h"

#include "python/python_program.h"

const unsigned char *sd_python_stack_frame(
	struct sd_python_stack *s, int pid, uint64_t frame, size_t size)
{
	if (size > SD_PYTHON_STACK || frame < SD_PYTHON_STACK || frame > UINT64_MAX - size)
		return NULL;
	if (frame >= s->start && frame - s->start <= SD_PYTHON_STACK - size && s->n &&
		frame - s->start + size <= s->n)
		return s->byte + (frame - s->start);
	s->n = SD_PYTHON_STACK;
	s->start = frame + size - SD_PYTHON_STACK;
	if (!sd_python_program_read(pid, s->start, s->byte, s->n)) {
		s->n = size; /* it is the first of its piece */
		s->start = frame;
		if (!sd_python_program_read(pid, frame, s->byte, size))
			s->n = 0;
	}
	return s->n ? s->byte + (frame - s->start) : NULL;
}
