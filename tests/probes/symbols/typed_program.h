/*
 * A program whose variables have types with parts: it writes where a global and a local one of it
 * are, then waits in a function that it calls.
 */
#ifndef SD_TEST_TYPED_PROGRAM_H
#define SD_TEST_TYPED_PROGRAM_H

#include "probes/symbols/built_program.h"

struct typed_part {
	long hits;
	struct {
		int a, b;
	} deep[2];
};

struct typed_all {
	struct typed_part table[4];
	int matrix[2][3];
	union {
		int word;
		char raw[16];
	} last;
};

static const char typed_source[] =
	"#include <unistd.h>\n"
	"#ifndef ALIGN\n"
	"#define ALIGN\n"
	"#endif\n"
	"#ifdef __cplusplus\n"
	"#include <atomic>\n"
	"struct base { long seen; };\n"
	"struct item : base { std::atomic<long> hits; };\n"
	"namespace ns { item items[3]; }\n"
	"#define ALL ns::items\n"
	"typedef item part;\n"
	"#else\n"
	"typedef struct part { long hits; struct { int a, b; } deep[2]; } part;\n"
	"typedef const volatile part table_of_parts[4];\n"
	"struct all { table_of_parts table; int matrix[2][3];\n"
	" union { int word; char raw[16]; } last; };\n"
	"volatile struct all all;\n"
	"#define ALL all\n"
	"#endif\n"
	"void (*volatile through)(part *);\n"
	"volatile long sink;\n"
	"static __attribute__((noinline)) void serve(part *own)\n"
	"{ char c; void *at = (void *)&ALL, *where = own; sink = own->hits;\n"
	" if (write(1, &at, sizeof at) > 0 && write(1, &where, sizeof where) > 0)\n"
	"  sink = read(0, &c, 1) + own->hits; }\n"
	"int main(void) { int rc = 0; ALIGN part own[2]; own[0].hits = own[1].hits = 0;\n"
	" through = serve; through(own); rc = (int)own[1].hits; return rc; }\n";

/* The member of a layout that has a name; it must be there. */
static inline const struct sd_object_member *member(
	const struct sd_object_layout *l, const char *name)
{
	for (unsigned i = 0; i < l->n_member; i++)
		if (strcmp(l->member[i].name, name) == 0)
			return &l->member[i];
	fail_msg("%s has no member %s", l->variable, name);
	return NULL;
}

static inline struct sd_symbols *look_at(struct built *b)
{
	struct sd_symbols *s;

	run(b);
	assert_int_equal(sd_symbols_open(&s, ""), 0);
	tell(s, b->pid);
	return s;
}

#endif
