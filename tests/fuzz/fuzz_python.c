/*
 * Memory of any bytes taken for CPython's: which functions its threads run, their names and lines.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "python/python_frames.h"
#include "python/python_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE UINT64_C(0x200000000000) /* not in the address sanitizer's shadow */
#define MOST 65536u

static const struct sd_python_layout layout = {.at = {[SD_PYTHON_RUNTIME_INTERPRETERS] = 0,
						       [SD_PYTHON_INTERPRETER_THREADS] = 8,
						       [SD_PYTHON_THREAD_ID] = 8,
						       [SD_PYTHON_THREAD_FRAME] = 16,
						       [SD_PYTHON_FRAME_PREVIOUS] = 8,
						       [SD_PYTHON_FRAME_INSTRUCTION] = 16,
						       [SD_PYTHON_CODE_FILE] = 8,
						       [SD_PYTHON_CODE_NAME] = 16,
						       [SD_PYTHON_CODE_LINES] = 24,
						       [SD_PYTHON_CODE_FIRST_LINE] = 32,
						       [SD_PYTHON_CODE_START] = 40,
						       [SD_PYTHON_TEXT_LENGTH] = 8,
						       [SD_PYTHON_TEXT_STATE] = 16,
						       [SD_PYTHON_TEXT_STATE_KIND] = 2,
						       [SD_PYTHON_TEXT_ASCII] = 24,
						       [SD_PYTHON_TEXT_OTHER] = 24,
						       [SD_PYTHON_BYTES_SIZE] = 8,
						       [SD_PYTHON_BYTES_START] = 16}};

static unsigned char *memory;

static void must(int holds)
{
	if (!holds)
		abort();
}

/* The bytes are a table of lines as well. */
static void read_lines(const uint8_t *data, size_t size)
{
	for (uint64_t offset = 0; offset < 64; offset += 2)
		(void)sd_python_lines_at(data, size, 1, offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the first words of each object are its type: small numbers, which a seed can have */
	const struct sd_python_program program = {
		.layout = &layout, .runtime = BASE, .code = 1, .text = 2, .bytes = 3};
	/* its room is megabytes, and is kept; of layouts there is one, that of `program` */
	static struct sd_python_frames f = {.processes.layouts.n = 1};
	const struct sd_python_place *place;

	if (!memory) {
		/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
		memory = mmap((void *)(uintptr_t)BASE, MOST, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		must((uintptr_t)memory == BASE);
	}
	if (!size || size > MOST)
		return 0;
	memcpy(memory, data, size);
	memset(memory + size, 0, MOST - size);
	read_lines(data, size);
	must(sd_python_frames_again(&f, "", getpid(), NULL, NULL) == 0);
	for (uint64_t now = 1; now < 4; now++)
		sd_python_frames_look_at(&f, getpid(), &program, now);
	for (size_t i = 0; i < f.n_seen; i++)
		for (uint32_t k = 0; k < f.seen[i].n; k++)
			must(f.place[f.seen[i].at + k].code < f.n_code);
	for (size_t i = 0; i < f.n_code; i++)
		must(strncmp(f.code[i].name, "py::", 4) == 0);
	if (f.n_seen)
		must(sd_python_frames_find(&f, f.seen[0].tid, 1, &place) <= SD_PYTHON_DEPTH);
	return 0;
}
