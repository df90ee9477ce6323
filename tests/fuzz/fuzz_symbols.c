/* An ELF file of any bytes that a program has mapped: addresses in it are looked up, and a stack is
 * unwound over it. The last bytes are the stack and the registers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/program_build.h"
#include "symbols/symbol_text.h"
#include "symbols/symbols.h"
#include "unwind/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PID = 1, STACK = 256, LOOKUPS = 48, PLACES = 8 };

#define BASE UINT64_C(0x10000)
#define STACK_AT UINT64_C(0x7f0000000000)

/* Nothing that a file says of an object is out of the bounds of what keeps it. */
static void layout(struct sd_symbols *s, const struct sd_symbols_part *part)
{
	static struct sd_object_layout out;

	if (sd_symbols_layout(s, part, &out) != 0)
		return;
	if (!out.bytes || out.bytes > SD_OBJECT_BYTES || out.n_member > SD_LINE_MEMBERS)
		abort();
	for (unsigned i = 0; i < out.n_member; i++)
		if (!*out.member[i].name || !out.member[i].bytes || out.member[i].at >= out.bytes ||
			out.member[i].bytes > out.bytes - out.member[i].at)
			abort();
}

static void look_up(struct sd_symbols *s, uint64_t pc)
{
	struct sd_placement_of place[PLACES];
	unsigned char code[16];
	uint64_t start;
	struct sd_symbols_part part;
	const char *name;
	size_t n;

	n = sd_symbols_at(s, PID, pc, 1, place, PLACES);
	if (n < 1 || n > PLACES)
		abort();
	for (size_t i = 0; i < n; i++) {
		if (place[i].function && !*place[i].function)
			abort();
		/* nothing is named beyond the mapping */
		if (place[i].function && !place[i].module)
			abort();
	}
	name = sd_symbols_called(s, PID, pc);
	if (name && !*name)
		abort();
	if (sd_symbols_code(s, PID, pc, code, sizeof code) > sizeof code)
		abort();
	if (sd_symbols_data(s, PID, pc, &name, &start) == 0 && (!name || start > pc))
		abort();
	if (sd_symbols_variable(s, PID, pc, &part) != 0)
		return;
	if (!*part.name || part.variable > pc ||
		strnlen(part.name, sizeof part.name) == sizeof part.name)
		abort();
	layout(s, &part);
}

/* Words that could be return addresses and frame pointers, in turns. */
static void make_stack(unsigned char *stack, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < STACK / 8; i++) {
		const unsigned v = data[2 * i] | (unsigned)data[2 * i + 1] << 8;
		const uint64_t word =
			i % 3 == 1 ? STACK_AT + 8 * (v % (STACK / 8)) : BASE + v % size;

		memcpy(stack + 8 * i, &word, sizeof word);
	}
}

static void unwind(struct sd_symbols *s, const uint8_t *data, size_t size)
{
	unsigned char stack[STACK];
	struct sd_event e = {
		.pid = PID, .regs.mask = UINT64_MAX >> 31, .stack = stack, .stack_at = STACK_AT};
	uint64_t pc[64], chain[16];
	struct sd_symbols_frame frame;
	struct sd_symbols_part part;
	struct sd_unwound how;
	size_t n;

	for (size_t i = 0; i < 33; i++)
		e.regs.reg[i] = STACK_AT + 8 * (data[i] % 32);
	/* x86-64: sp, ip; aarch64: sp, pc */
	e.regs.reg[7] = e.regs.reg[31] = STACK_AT;
	e.regs.reg[8] = e.regs.reg[32] = BASE + (data[0] | (unsigned)data[1] << 8) % size;
	make_stack(stack, data, size);
	/* a copy that ends anywhere, and what the kernel read by frame pointers */
	e.stack_size = data[1] % 4 ? STACK : 8u * (data[0] % (STACK / 8 + 1));
	for (size_t i = 0; i < sizeof chain / sizeof *chain; i++)
		chain[i] = BASE + (data[i] | (unsigned)data[i + 1] << 8) % size;
	e.pointed = chain;
	e.n_pointed = data[2] % (sizeof chain / sizeof *chain + 1);
	n = sd_symbols_unwind(s, &e, pc, 64, &how);
	if (n > 64 || how.inside > n || (how.whole != 0 && how.whole != 1 && how.whole != -ERANGE))
		abort();
	for (size_t i = 1; i < n; i++)
		if (pc[i] < BASE || pc[i] > BASE + size)
			abort();
	for (uint64_t at = STACK_AT; at < STACK_AT + STACK; at += 8)
		if (sd_symbols_frame_at(s, &e, at, &frame) == 0 &&
			sd_symbols_local(s, PID, &frame, at, &part) >= 0 && !*part.name)
			abort();
	for (unsigned reg = 0; reg < 33; reg++)
		if (sd_symbols_pointed(s, PID, pc[0], reg, data[reg] & 1, data[reg], &part) == 0) {
			if (!*part.name)
				abort();
			layout(s, &part);
		}
}

static int map(struct sd_symbols *s, int fd, size_t size)
{
	struct sd_event e = {.kind = SD_EVENT_MAP, .pid = PID, .address = BASE, .size = size};
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	e.name = path;
	return sd_symbols_event(s, &e);
}

/* The two kinds of text with addresses. */
static void labels(const uint8_t *data, size_t size)
{
	for (int kernel = 0; kernel < 2; kernel++) {
		struct sd_symbol_text l = {0};
		char *const text = malloc(size + 1);

		if (!text)
			return;
		memcpy(text, data, size);
		text[size] = '\0';
		(void)(kernel ? sd_symbol_text_kernel(&l, text) : sd_symbol_text_jit(&l, text));
		for (size_t i = 0; i < l.n; i++) {
			const struct sd_label *const at = sd_symbol_text_at(&l, l.item[i].start);

			if (at && (at->start > l.item[i].start || !at->name))
				abort();
		}
		sd_symbol_text_free(&l);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t far[] = {0, 1, BASE - 1, UINT64_MAX};
	char path[64], *build = NULL;
	struct sd_symbols *s;
	int fd;

	if (size < STACK + 64)
		return 0;
	labels(data, size);
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || sd_symbols_open(&s, "") != 0)
		abort();
	if (map(s, fd, size) == 0) {
		for (size_t i = 0; i < LOOKUPS; i++)
			look_up(s, BASE + i * size / LOOKUPS);
		for (size_t i = 0; i < sizeof far / sizeof *far; i++)
			look_up(s, far[i]);
		unwind(s, data + size - STACK, size);
	}
	sd_symbols_close(s);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (sd_program_build_read(path, &build) == 0 && build) {
		sd_program_build_is_plain(build);
		free(build);
	}
	close(fd);
	return 0;
}
