/*
 * Reads a program's heap log: which block held an address when, and who asked for it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "native/heap_blocks.h"

#define PID 42

static int setup(void **state)
{
	struct sd_heap_blocks *const b = calloc(1, sizeof *b);

	if (!b)
		return -1;
	*state = b;
	b->log[b->n++] = calloc(1, sizeof *b->log[0]);
	if (!b->log[0])
		return -1;
	*b->log[0] = (struct sd_heap_log){.magic = SD_HEAP_LOG_MAGIC,
		.size_of_block = sizeof b->log[0]->block[0],
		.pid = PID};
	return 0;
}

static int teardown(void **state)
{
	sd_heap_blocks_free(*state);
	free(*state);
	return 0;
}

static struct sd_heap_block *give(
	struct sd_heap_blocks *b, uint64_t start, uint64_t bytes, uint64_t time)
{
	struct sd_heap_block *const row = &b->log[0]->block[b->log[0]->given++];

	*row = (struct sd_heap_block){.start = start, .bytes = bytes, .time = time};
	return row;
}

static void the_newest_block_at_an_address_is_its_own(void **state)
{
	struct sd_heap_blocks *const b = *state;
	const struct sd_heap_block *const large = give(b, 0x1000, 0x100, 10);
	const struct sd_heap_block *const small = give(b, 0x1040, 0x10, 20);

	assert_int_equal(sd_heap_blocks_check(b->log[0], sizeof *b->log[0]), 0);
	assert_ptr_equal(sd_heap_blocks_at(b, PID, 0x1048, 25), small);
	assert_ptr_equal(sd_heap_blocks_at(b, PID, 0x1048, 15), large); /* not given yet */
	assert_ptr_equal(sd_heap_blocks_at(b, PID, 0x1050, 25), large);
	assert_null(sd_heap_blocks_at(b, PID, 0x1048, 5));
	assert_null(sd_heap_blocks_at(b, PID, 0x1100, 25));
	assert_null(sd_heap_blocks_at(b, PID + 1, 0x1048, 25));
}

static void behind_a_full_log_nothing_is_known(void **state)
{
	struct sd_heap_blocks *const b = *state;
	const struct sd_heap_block *const block = give(b, 0x1000, 0x100, 10);

	b->log[0]->full = 30;
	assert_ptr_equal(sd_heap_blocks_at(b, PID, 0x1000, 29), block);
	assert_null(sd_heap_blocks_at(b, PID, 0x1000, 30));
}

static void what_was_not_written_and_cannot_be_counts_for_nothing(void **state)
{
	struct sd_heap_blocks *const b = *state;

	give(b, 0x1000, 0x100, 0); /* being written */
	give(b, UINT64_MAX - 8, 0x100, 10);
	give(b, 0x2000, 0x100, 10)->copied = SD_HEAP_LOG_STACK + 1;
	assert_int_equal(sd_heap_blocks_check(b->log[0], sizeof *b->log[0]), 0);
	assert_null(sd_heap_blocks_at(b, PID, 0x1000, 20));
	assert_null(sd_heap_blocks_at(b, PID, UINT64_MAX - 4, 20));
	assert_int_equal(sd_heap_blocks_at(b, PID, 0x2000, 20)->copied, 0);

	b->log[0]->given = UINT64_MAX;
	assert_int_equal(sd_heap_blocks_check(b->log[0], sizeof *b->log[0]), 0);
	assert_int_equal(b->log[0]->given, SD_HEAP_LOG_BLOCKS);
	assert_int_equal(sd_heap_blocks_check(b->log[0], sizeof *b->log[0] - 1), -EINVAL);
	b->log[0]->magic++;
	assert_int_equal(sd_heap_blocks_check(b->log[0], sizeof *b->log[0]), -EINVAL);
}

static void logs_are_read_from_their_folder_and_removed(void **state)
{
	struct sd_heap_blocks *const b = *state;
	struct sd_heap_blocks read = {.n = 0};
	char folder[] = "/tmp/heap_blocks_XXXXXX", name[64], other[64];
	FILE *f;

	give(b, 0x1000, 0x100, 10);
	b->log[0]->full = 99;
	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof name, "%s/42.heap", folder);
	snprintf(other, sizeof other, "%s/notes.heap", folder);
	f = fopen(name, "wx");
	assert_non_null(f);
	assert_int_equal(fwrite(b->log[0], sizeof *b->log[0], 1, f), 1);
	fclose(f);
	f = fopen(other, "wx"); /* of nobody's: it stays */
	assert_non_null(f);
	fclose(f);
	assert_int_equal(sd_heap_blocks_read(&read, folder), 0);
	assert_int_equal(read.n, 1);
	assert_true(read.full);
	assert_non_null(sd_heap_blocks_at(&read, PID, 0x1000, 20));
	sd_heap_blocks_free(&read);
	assert_int_not_equal(access(name, F_OK), 0);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* As the preloaded library does, in a function that the one to be named has called. */
static __attribute__((noinline, no_sanitize("address"))) void note_caller(struct sd_heap_block *row)
{
	uint64_t *const frame = __builtin_frame_address(0);

	row->pc = (uintptr_t)__builtin_return_address(0);
	row->sp = (uintptr_t)__builtin_dwarf_cfa();
	row->fp = *frame;
	row->copied = SD_HEAP_LOG_STACK;
	for (unsigned i = 0; i < SD_HEAP_LOG_STACK;
		i++) /* of others' frames: no function's business */
		row->stack[i] = ((const volatile unsigned char *)__builtin_dwarf_cfa())[i];
}

static __attribute__((noinline)) int asks_for_a_block(struct sd_heap_block *row)
{
	note_caller(row);
	return row->pc != 0; /* no tail call */
}

static void who_asked_is_named_with_callers(void **state)
{
	struct sd_heap_blocks *const b = *state;
	struct sd_heap_block *const row = give(b, 0x1000, 0x100, 10);
	struct sd_stacks stacks = {0};
	struct sd_code_nodes names = {.stacks = &stacks, .pid = getpid()};
	const struct sd_frame *f;
	unsigned node = 0;

	assert_true(asks_for_a_block(row));
	assert_int_equal(sd_symbols_open(&names.symbols, ""), 0);
	sd_symbols_visit(names.symbols, getpid());
	assert_int_equal(sd_heap_blocks_site(row, &names, &node), 0);
	sd_symbols_close(names.symbols);
	assert_int_not_equal(node, 0);
	f = &stacks.frame[stacks.node[node].frame];
	assert_string_equal(stacks.text[f->function], "asks_for_a_block");
	f = &stacks.frame[stacks.node[stacks.node[node].parent].frame];
	assert_string_equal(stacks.text[f->function], "who_asked_is_named_with_callers");
	sd_stacks_free(&stacks);
}

/* A function of the language, which asks for whoever calls it. */
static __attribute__((noinline)) int asks_for_others(struct sd_heap_block *row) __asm__(
	"_ZN9__gnu_cxx4takeEv"); /* __gnu_cxx::take() */

static __attribute__((noinline)) int asks_for_others(struct sd_heap_block *row)
{
	note_caller(row);
	return row->sp != 0; /* not the same code as of the other */
}

static void what_asks_for_others_is_left_out(void **state)
{
	struct sd_heap_blocks *const b = *state;
	struct sd_heap_block *const row = give(b, 0x1000, 0x100, 10);
	struct sd_stacks stacks = {0};
	struct sd_code_nodes names = {.stacks = &stacks, .pid = getpid()};
	const struct sd_frame *f;
	unsigned node = 0;

	assert_true(asks_for_others(row));
	assert_int_equal(sd_symbols_open(&names.symbols, ""), 0);
	sd_symbols_visit(names.symbols, getpid());
	assert_int_equal(sd_heap_blocks_site(row, &names, &node), 0);
	sd_symbols_close(names.symbols);
	f = &stacks.frame[stacks.node[node].frame];
	assert_string_equal(stacks.text[f->function], "what_asks_for_others_is_left_out");
	sd_stacks_free(&stacks);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {T(the_newest_block_at_an_address_is_its_own),
		T(behind_a_full_log_nothing_is_known),
		T(what_was_not_written_and_cannot_be_counts_for_nothing),
		T(logs_are_read_from_their_folder_and_removed), T(who_asked_is_named_with_callers),
		T(what_asks_for_others_is_left_out)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
