/*
 * Names parts of variables of programs as they are built: global ones by their address, local ones
 * by the frame that holds them.
 */
#include <errno.h>
#include <stdio.h>

#include "probes/symbols/typed_program.h"
#include "symbols/part_names.h"

struct row {
	const char *how;
	int typed;
};

static const struct row rows[] = {
	{"cc -O0 -g -o program chain.c", 1},
	{"cc -O2 -g -o program chain.c", 1},
	{"cc -O2 -gdwarf-4 -no-pie -o program chain.c", 1},
	{"cc -O2 -g -static -o program chain.c", 1},
	{"cc -O2 -g -o program chain.c && objcopy --only-keep-debug program program.debug && "
	 "strip -g program && objcopy --add-gnu-debuglink=program.debug program",
		1},
	{"cc -O2 -g -D'ALIGN=__attribute__((aligned(64)))' -o program chain.c", 1},
	{"clang -O0 -g -o program chain.c", 1},
	{"clang -O2 -g -o program chain.c", 1},
	{"cc -O2 -o program chain.c", 0},
};

/* The name of what lies at an offset of its global variable. */
static const char *global(struct sd_symbols *s, const struct built *b, size_t offset)
{
	static struct sd_symbols_part part;

	assert_int_equal(sd_symbols_variable(s, b->pid, b->variable + offset, &part), 0);
	assert_true(part.variable == b->variable);
	return part.name;
}

static void check_globals(struct sd_symbols *s, const struct built *b, int typed)
{
	const size_t deep = offsetof(struct typed_all, table[2].deep[1].b);

	if (!typed) {
		char name[32];

		snprintf(name, sizeof name, "all+0x%zx", deep);
		assert_string_equal(global(s, b, deep), name);
		assert_string_equal(global(s, b, 0), "all");
		return;
	}
	assert_string_equal(global(s, b, 0), "all.table[0].hits");
	assert_string_equal(global(s, b, deep), "all.table[2].deep[1].b");
	/* inside of it, too */
	assert_string_equal(global(s, b, deep + 3), "all.table[2].deep[1].b");
	assert_string_equal(
		global(s, b, offsetof(struct typed_all, matrix[1][2])), "all.matrix[1][2]");
	assert_string_equal(global(s, b, offsetof(struct typed_all, last)), "all.last.word");
	assert_string_equal(
		global(s, b, offsetof(struct typed_all, last.raw[9])), "all.last.raw[9]");
}

static void check_layout(struct sd_symbols *s, const struct built *b, int typed)
{
	static struct sd_object_layout l;
	struct sd_symbols_part part;

	assert_int_equal(sd_symbols_variable(s, b->pid, b->variable + 8, &part), 0);
	assert_int_equal(sd_symbols_layout(s, &part, &l), typed ? 0 : -ENOENT);
	if (!typed)
		return;
	assert_int_equal(part.into, 8);
	assert_string_equal(l.variable, "all");
	assert_string_equal(l.type, "struct all");
	assert_int_equal(l.bytes, sizeof(struct typed_all));
	assert_int_equal(l.elements, 1);
	assert_int_equal(l.language, SD_OBJECT_C);
	assert_non_null(strstr(l.file, "chain.c"));
	assert_true(l.line > 0 && l.at_line > l.line);
	assert_int_equal(member(&l, "table[2].deep[1].b")->at,
		offsetof(struct typed_all, table[2].deep[1].b));
	assert_int_equal(member(&l, "matrix")->bytes, sizeof(int[2][3]));
	assert_int_equal(member(&l, "last.raw")->at, offsetof(struct typed_all, last));
	assert_true(member(&l, "table[0].hits")->line >= l.line);
}

static void check_local(struct sd_symbols *s, const struct built *b, int typed)
{
	const uint64_t at =
		b->second + sizeof(struct typed_part) + 4 + offsetof(struct typed_part, deep[1].a);
	static struct stopped stopped;
	struct sd_symbols_frame frame;
	struct sd_symbols_part part;
	struct sd_placement_of place[PLACES];
	struct sd_event e;
	size_t n;

	if (stopped_look(&stopped, b->pid) != 0)
		return;
	e = stopped_event(&stopped, b->pid, stopped.size);
	assert_int_equal(sd_symbols_frame_at(s, &e, at, &frame), 0);
	assert_true(frame.sp <= b->second && frame.cfa > at);
	n = sd_symbols_at(s, b->pid, frame.pc, frame.caller, place, PLACES);
	assert_true(n > 0);
	assert_string_equal(place[n - 1].function, "main");
	if (!typed) {
		assert_int_equal(sd_symbols_local(s, b->pid, &frame, at, &part), -ENOENT);
		return;
	}
	assert_int_equal(sd_symbols_local(s, b->pid, &frame, at, &part), 0);
	assert_string_equal(part.name, "own[1].deep[1].b");
	/* the end of the frame is no variable's */
	assert_int_equal(sd_symbols_local(s, b->pid, &frame, frame.cfa - 1, &part), -ENOENT);
	/* nor does a frame hold what is above the stack */
	assert_int_equal(sd_symbols_frame_at(s, &e, UINT64_MAX - 4096, &frame), -ENOENT);
}

static void parts_are_named_however_a_program_was_built(void **state)
{
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_symbols *s;
		struct built b;

		if (build_from(&b, typed_source, rows[i].how) != 0) {
			print_message("not built here: %s\n", rows[i].how);
			stop(&b);
			continue;
		}
		s = look_at(&b);
		print_message("%s\n", rows[i].how);
		check_globals(s, &b, rows[i].typed);
		check_layout(s, &b, rows[i].typed);
		check_local(s, &b, rows[i].typed);
		sd_symbols_close(s);
		stop(&b);
		n++;
	}
	if (!n)
		cannot();
}

/* The function that waits has its argument in one register or another. */
static void what_a_pointer_in_a_register_points_to_is_named(void **state)
{
	const size_t at = offsetof(struct typed_part, deep[1].a);
	static struct stopped stopped;
	struct sd_symbols_part part;
	struct sd_symbols *s;
	struct built b;
	struct sd_event e;
	unsigned found = 0;

	(void)state;
	if (build_from(&b, typed_source, "cc -O2 -g -o program chain.c") != 0) {
		stop(&b);
		cannot();
	}
	s = look_at(&b);
	if (stopped_look(&stopped, b.pid) == 0) {
		struct sd_placement_of place[PLACES];
		uint64_t pc[FRAMES];
		struct sd_unwound how;
		size_t n, i = 0;

		e = stopped_event(&stopped, b.pid, stopped.size);
		n = sd_symbols_unwind(s, &e, pc, FRAMES, &how);
		for (; i < n; i++)
			if (sd_symbols_at(s, b.pid, pc[i], i > 0, place, PLACES) &&
				place[0].function && strcmp(place[0].function, "serve") == 0)
				break;
		assert_true(i < n);
		for (unsigned reg = 0; reg < 33; reg++)
			if (sd_symbols_pointed(s, b.pid, pc[i] - 1, reg, 0, at, &part) == 0) {
				assert_string_equal(part.name, "struct part.deep[1].a");
				assert_int_equal(sd_symbols_pointed(s, b.pid, pc[i] - 1, reg, 0,
							 sizeof(struct typed_part), &part),
					-ENOENT);
				found++;
			}
		assert_int_equal(found, 1);
	}
	sd_symbols_close(s);
	stop(&b);
}

/* A base class has no name; what std::atomic has inside is the library's. */
static void members_of_bases_and_atomics_are_named(void **state)
{
	static struct sd_object_layout layout;
	struct sd_symbols_part part;
	struct sd_symbols *s;
	struct built b;

	(void)state;
	if (build_from(&b, typed_source, "c++ -O2 -g -o program chain.cc") != 0) {
		stop(&b);
		cannot();
	}
	s = look_at(&b);
	assert_string_equal(global(s, &b, 16), "ns::items[1].seen");
	assert_string_equal(global(s, &b, 24), "ns::items[1].hits");
	assert_int_equal(sd_symbols_variable(s, b.pid, b.variable + 24, &part), 0);
	assert_int_equal(sd_symbols_layout(s, &part, &layout), 0);
	assert_string_equal(layout.type, "struct item");
	assert_int_equal(layout.elements, 3);
	assert_int_equal(layout.bytes, 16);
	assert_int_equal(layout.language, SD_OBJECT_CXX);
	assert_int_equal(layout.n_member, 2);
	assert_string_equal(layout.member[0].name, "seen");
	assert_string_equal(layout.member[1].name, "hits");
	assert_int_equal(layout.member[1].at, 8);
	sd_symbols_close(s);
	stop(&b);
}

/* Lays out the variable of a program whose assembler was given other types by this awk. */
static struct sd_object_layout changed_layout(const char *awk)
{
	static struct sd_object_layout layout;
	struct sd_symbols_part part;
	struct sd_symbols *s;
	struct built b;
	char how[640];

	snprintf(how, sizeof how,
		"g++ -O2 -g -S -dA -o program.s chain.cc && awk '%s { print }' program.s >other.s "
		"&& ! cmp -s program.s other.s && g++ -o program other.s",
		awk);
	if (build_from(&b, typed_source, how) != 0) {
		stop(&b);
		cannot();
	}
	s = look_at(&b);
	assert_int_equal(sd_symbols_variable(s, b.pid, b.variable + 8, &part), 0);
	assert_int_equal(sd_symbols_layout(s, &part, &layout), 0);
	assert_int_equal(layout.bytes, 16);
	sd_symbols_close(s);
	stop(&b);
	return layout;
}

static void a_class_that_inherits_itself_has_an_end(void **state)
{
	(void)state;
	assert_true(changed_layout("/DIE .*(structure|class)_type/ "
				   "{ split($0, part, /[()]/); at = part[3] } "
				   "/DIE .*DW_TAG_inheritance/ { own = 1 } "
				   "/DW_AT_type/ && own { sub(/0x[0-9a-f]+/, at); own = 0 }")
			    .n_member > 0);
}

/* A record refuses offsets beyond 2^48: one that had them could not be read again. */
static void members_beyond_their_structure_are_none(void **state)
{
	(void)state;
	assert_int_equal(
		changed_layout(
			"/# DW_AT_data_member_location/ { sub(/byte\t[0-9a-fx]+/, \"byte 255\") }")
			.n_member,
		0);
}

static void add(struct sd_part_names *p, const char *name, uint64_t variable, int typed)
{
	struct sd_symbols_part part = {.variable = variable, .typed = typed};

	snprintf(part.name, sizeof part.name, "%s", name);
	sd_part_names_add(p, &part);
}

static void parts_of_a_line_are_listed_or_told_from_first_to_last(void **state)
{
	struct sd_part_names p = {.n = 0};

	(void)state;
	assert_string_equal(sd_part_names_text(&p), "");
	for (int i = 0; i < 3; i++) /* each of its bytes */
		add(&p, "one[0]", 8, 1);
	add(&p, "one[1]", 8, 1);
	add(&p, "two[0]", 16, 1);
	add(&p, "two[1]", 16, 1);
	add(&p, "two[2]", 16, 1);
	add(&p, "three+0x40", 32, 0);
	add(&p, "three+0x48", 32, 0);
	add(&p, "heap", 0, 0);
	add(&p, "heap", 0, 0);
	add(&p, "other", 0, 0);
	assert_string_equal(sd_part_names_text(&p),
		"one[0], one[1], two[0] to two[2], three+0x40, heap, other");
	/* without room it ends */
	for (uint64_t i = 0; i < 200; i++)
		add(&p, "a variable with a long name", 1000 + i, 0);
	assert_true(strlen(sd_part_names_text(&p)) < sizeof p.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_named_however_a_program_was_built),
		cmocka_unit_test(what_a_pointer_in_a_register_points_to_is_named),
		cmocka_unit_test(members_of_bases_and_atomics_are_named),
		cmocka_unit_test(a_class_that_inherits_itself_has_an_end),
		cmocka_unit_test(members_beyond_their_structure_are_none),
		cmocka_unit_test(parts_of_a_line_are_listed_or_told_from_first_to_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
