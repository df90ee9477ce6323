/*
 * A line of the heap is named by the types of the pointers that its code has in registers. The file
 * of the software PMU is invented, the program that it tells of is built.
 */
#include <stdio.h>

#include "instruction/insn_decode.h"
#include "probes/symbols/built_program.h"
#include "simfile/sim_names.h"

#define BLOCK 0x4000005040
#define WORD UINT64_C(0xff)

static const char cells_source[] =
	"struct cell { volatile unsigned long value, mask; };\n"
	"__attribute__((noinline)) void update(struct cell *c, long n)\n"
	"{ for (long i = 0; i < n; i++) c->value ^= (unsigned long)i & c->mask; }\n"
	"static struct cell all[2];\n"
	"int main(int argc, char **argv) { (void)argv; update(&all[argc & 1], argc); return 0; }\n";

struct cells {
	struct built b;
	struct sd_sim_file file;
	struct sd_sim_file_map map;
	struct sd_sim_file_contested line;
	struct sd_sim_file_site site;
	struct sd_sim_file_code code[SD_SIM_CODES];
	struct sd_sim_file_stack stack[2];
};

/* All instructions of update(), as if each had been seen at the line. */
static void add_code(struct cells *c)
{
	char command[256];
	unsigned char text[256];
	unsigned long at = 0, size = 0;
	struct sd_symbols *s;
	FILE *f;

	snprintf(command, sizeof command, "nm -S '%s' | sed -n 's/ T update$//p'", c->b.program);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lx %lx", &at, &size), 2);
	pclose(f);
	assert_true(size && size <= sizeof text);
	assert_int_equal(sd_symbols_open(&s, ""), 0);
	assert_int_equal(sd_symbols_event(s, &(const struct sd_event){.kind = SD_EVENT_MAP,
						     .pid = 7,
						     .tid = 7,
						     .address = c->map.start,
						     .size = c->map.end - c->map.start,
						     .name = c->map.path}),
		0);
	assert_int_equal(sd_symbols_code(s, 7, at, text, size), size);
	for (unsigned long i = 0; i < size && c->line.n_code < SD_SIM_CODES;) {
		const struct sd_insn_decode d =
			sd_insn_decode_at(sd_insn_decode_here(), text + i, size - i);

		assert_true(d.length > 0);
		c->code[c->line.n_code++] = (struct sd_sim_file_code){.pc = at + i};
		i += d.length;
	}
	sd_symbols_close(s);
}

static void set_up(struct cells *c)
{
	memset(c, 0, sizeof *c);
	if (build_from(&c->b, cells_source, "cc -O2 -g -no-pie -o program chain.c") != 0) {
		stop(&c->b);
		cannot();
	}
	c->map = (struct sd_sim_file_map){
		.start = 0x400000, .end = 0x410000, .executable = 1, .path = c->b.program};
	c->site = (struct sd_sim_file_site){.start = BLOCK, .bytes = 32};
	c->line = (struct sd_sim_file_contested){
		.address = BLOCK, .hitm_load = 9, .n_site = 1, .code = c->code};
	add_code(c);
}

/* Names the line: out[0]; out[1] is its object's type, "" without one, and *begins where that
 * begins. */
static void name(struct cells *c, const uint64_t written[2], const uint64_t read[2],
	char out[2][128], int64_t *begins)
{
	struct sd_stacks stacks = {0};
	struct sd_simulated *const s = calloc(1, sizeof *s);

	c->line.sharer = calloc(2, sizeof *c->line.sharer);
	c->line.n_sharer = 2;
	for (unsigned i = 0; i < 2; i++)
		c->line.sharer[i] = (struct sd_sim_sharer){.thread = i,
			.written = written[i],
			.read = read[i],
			.loads = 1,
			.stores = 1};
	c->file = (struct sd_sim_file){.pid = 7,
		.n_thread = 2,
		.stack = c->stack,
		.contested = &c->line,
		.n_contested = 1,
		.site = &c->site,
		.n_site = 1,
		.map = &c->map,
		.n_map = 1};
	strcpy(c->file.target,
		sd_insn_decode_here() == SD_INSN_DECODE_X86_64 ? "x86_64" : "aarch64");
	c->file.thread = calloc(2, sizeof *c->file.thread);
	assert_int_equal(sd_sim_names_fill(&c->file, &stacks, s), 0);
	assert_int_equal(s->n_contested, 1);
	snprintf(out[0], 128, "%s", s->contested->name ? stacks.text[s->contested->name] : "");
	snprintf(out[1], 128, "%s",
		s->contested->n_object ? stacks.text[s->contested->object->type] : "");
	*begins = s->contested->n_object ? s->contested->object->begins : 0;
	assert_true(!s->contested->n_object || s->contested->object->storage == SD_OBJECT_HEAP);
	sd_simulated_free(s);
	sd_stacks_free(&stacks);
}

static void members_of_a_heap_block_are_named(void **state)
{
	const uint64_t written[] = {WORD << 16, WORD << 32},
		       read[] = {0xffffull << 16, 0xffffull << 32};
	const uint64_t two[] = {0xffffffull, 0xffffffull};
	struct cells c;
	char got[2][128];
	int64_t begins;

	(void)state;
	set_up(&c);
	name(&c, written, read, got, &begins);
	assert_string_equal(
		got[0], "heap block of 32 bytes at +16 (struct cell.value, struct cell.mask)");
	assert_string_equal(got[1], "struct cell");
	assert_int_equal(begins, 16);
	/* it may begin at several bytes of these */
	name(&c, two, two, got, &begins);
	assert_non_null(strstr(got[0], " (struct cell.value, struct cell.mask)"));
	assert_string_equal(got[1], "");
	stop(&c.b);
}

/* A program may have a heap of its own, in memory of no name; in a stack pointers tell of the frame
 * that they came from alone. */
static void members_are_named_in_memory_of_no_name_and_not_in_stacks(void **state)
{
	const uint64_t written[] = {WORD << 16, WORD << 32},
		       read[] = {0xffffull << 16, 0xffffull << 32};
	struct cells c;
	char got[2][128];
	int64_t begins;

	(void)state;
	set_up(&c);
	c.line.n_site = 0;
	name(&c, written, read, got, &begins);
	assert_string_equal(got[0], "struct cell.value, struct cell.mask");
	assert_string_equal(got[1], "struct cell");
	c.stack[0].low = BLOCK - 4096;
	c.stack[0].high = BLOCK + 4096;
	name(&c, written, read, got, &begins);
	assert_string_equal(got[0], "stack of thread 0");
	assert_string_equal(got[1], "");
	/* tasks have theirs in one heap: both threads were there */
	c.stack[1] = c.stack[0];
	name(&c, written, read, got, &begins);
	assert_string_equal(got[0], "struct cell.value, struct cell.mask");
	stop(&c.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_a_heap_block_are_named),
		cmocka_unit_test(members_are_named_in_memory_of_no_name_and_not_in_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
