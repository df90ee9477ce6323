/*
 * Members of the variables of programs in Rust and Go.
 */
#include <errno.h>
#include <stdio.h>

#include "probes/symbols/typed_program.h"

/* Rust says which structure it is, and which member; nothing of where it is declared. */
static void members_of_rust_are_named(void **state)
{
	static const char text[] =
		"use std::io::{Read, Write};\n"
		"pub struct Cell { hits: u64, mask: u64 }\n"
		"static mut CELLS: [Cell; 2] = [Cell { hits: 1, mask: 1 }, Cell { hits: 2, mask: 1 }];\n"
		"fn main() { let at = (std::ptr::addr_of!(CELLS) as usize).to_ne_bytes();\n"
		" let mut out = std::io::stdout(); let mut one = [0u8; 1];\n"
		" out.write_all(&at).unwrap(); out.write_all(&at).unwrap(); out.flush().unwrap();\n"
		" let _ = std::io::stdin().read(&mut one);\n"
		" unsafe { CELLS[one[0] as usize & 1].hits += CELLS[0].mask; } }\n";
	static struct sd_object_layout layout;
	struct sd_symbols_part part;
	struct sd_symbols *s;
	struct built b;

	(void)state;
	if (build_from(&b, text, "rustc -g -O -o program chain.c") != 0) {
		stop(&b);
		cannot();
	}
	s = look_at(&b);
	assert_int_equal(sd_symbols_variable(s, b.pid, b.variable + 24, &part), 0);
	assert_string_equal(part.name, "chain::CELLS[1].mask");
	assert_int_equal(sd_symbols_layout(s, &part, &layout), 0);
	assert_string_equal(layout.type, "struct Cell");
	assert_int_equal(layout.language, SD_OBJECT_RUST);
	assert_true(layout.bytes == 16 && layout.elements == 2);
	assert_int_equal(member(&layout, "mask")->at, 8);
	sd_symbols_close(s);
	stop(&b);
}

/* The members that `visit`, at `start`, is seen to reach in elements of a slice. */
static unsigned members_of_slices(struct sd_symbols *s, const struct built *b, uint64_t start)
{
	struct sd_placement_of place[PLACES];
	struct sd_symbols_part part;
	unsigned found = 0;

	for (uint64_t pc = start; sd_symbols_at(s, b->pid, pc, 0, place, PLACES) &&
				  place[0].function && strcmp(place[0].function, "main.visit") == 0;
		pc++)
		for (unsigned reg = 0; reg < 33; reg++) {
			if (sd_symbols_pointed(s, b->pid, pc, reg, 1, 8, &part) != 0)
				continue;
			assert_string_equal(part.name, "struct main.Cell.mask");
			found++;
		}
	return found;
}

/* Go says where variables are in blocks, and a slice is a pointer with two numbers. */
static void members_of_go_are_named(void **state)
{
	static const char text[] =
		"package main\n"
		"import (\"encoding/binary\"; \"os\"; \"reflect\"; \"unsafe\")\n"
		"type Cell struct { hits, mask uint64 }\n"
		"var cells [2]Cell\n"
		"//go:noinline\n"
		"func visit(c []Cell, n int) { for i := 0; i < n; i++ { c[i].mask++ } }\n"
		"func main() { at := make([]byte, 16); one := make([]byte, 1)\n"
		" binary.LittleEndian.PutUint64(at, uint64(uintptr(unsafe.Pointer(&cells))))\n"
		" binary.LittleEndian.PutUint64(at[8:], uint64(reflect.ValueOf(visit).Pointer()))\n"
		" os.Stdout.Write(at); os.Stdin.Read(one); visit(cells[:], 2) }\n";
	static struct sd_object_layout layout;
	struct sd_symbols_part part;
	struct sd_symbols *s;
	struct built b;

	(void)state;
	if (build_from(&b, text, "cp chain.c chain.go && go build -o program chain.go") != 0) {
		stop(&b);
		cannot();
	}
	s = look_at(&b);
	assert_int_equal(sd_symbols_variable(s, b.pid, b.variable + 24, &part), 0);
	assert_string_equal(part.name, "main.cells[1].mask");
	assert_int_equal(sd_symbols_layout(s, &part, &layout), 0);
	assert_string_equal(layout.type, "struct main.Cell");
	assert_int_equal(layout.language, SD_OBJECT_GO);
	assert_true(layout.bytes == 16 && layout.elements == 2);
	assert_int_equal(member(&layout, "mask")->at, 8);
#if defined(__x86_64__)
	assert_true(members_of_slices(s, &b, b.second) > 0);
#endif
	sd_symbols_close(s);
	stop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_rust_are_named),
		cmocka_unit_test(members_of_go_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
