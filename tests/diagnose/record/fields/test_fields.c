#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fields/fields.h"
#include "support/make_full.h"

static size_t size_of(const struct sd_field *f)
{
	switch (f->type) {
	case SD_FIELD_TEXT:
		return f->size;
	case SD_FIELD_UNSIGNED:
	case SD_FIELD_INT:
	case SD_FIELD_NAME:
	case SD_FIELD_BOOL:
	case SD_FIELD_FLAGS:
		return sizeof(int);
	case SD_FIELD_INT64:
	case SD_FIELD_SIZE:
	case SD_FIELD_COUNT64:
	case SD_FIELD_BITS64:
	case SD_FIELD_REAL:
		return 8;
	case SD_FIELD_STRING:
	case SD_FIELD_OWNED:
	case SD_FIELD_ARRAY:
		return sizeof(void *);
	case SD_FIELD_VALUE:
		return sizeof(struct sd_value);
	case SD_FIELD_TEXTS:
		return sizeof(struct sd_texts);
	case SD_FIELD_CPUS:
		return sizeof(struct sd_cpulist);
	case SD_FIELD_FIXED:
		return f->most * f->size;
	case SD_FIELD_STRUCT: /* its own members: see cover() */
		return 0;
	}
	return 0;
}

static void cover(unsigned char *seen, size_t base, const struct sd_fields *fields)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct sd_field *const f = &fields->field[i];

		memset(seen + base + f->offset, 1, size_of(f));
		if (f->type == SD_FIELD_STRUCT)
			cover(seen, base + f->offset, f->fields);
		if (f->type == SD_FIELD_ARRAY)
			memset(seen + base + f->count, 1, sizeof(size_t));
	}
}

/* Every byte of a struct belongs to a row of its table, and the same of the elements in it. */
static void check(const struct sd_fields *fields, const char *name, size_t size)
{
	unsigned char seen[8192] = {0};
	size_t gap = 0;

	assert_true(size <= sizeof seen);
	cover(seen, 0, fields);
	for (size_t i = 0; i < size; i++) {
		gap = seen[i] ? 0 : gap + 1;
		if (gap >= 8) /* padding is shorter */
			fail_msg("an element of %s has a member near byte %zu that the record "
				 "lacks: add a row to its table",
				name, i);
	}
	for (size_t i = 0; i < fields->n; i++) {
		const struct sd_field *const f = &fields->field[i];

		/* not the bare numbers of a list */
		if ((f->type == SD_FIELD_ARRAY || f->type == SD_FIELD_OWNED ||
			    f->type == SD_FIELD_FIXED) &&
			f->fields->field[0].key)
			check(f->fields, f->key, f->size);
	}
}

static void no_member_of_a_struct_is_forgotten_in_the_record(void **state)
{
#define S(table, name)                                         \
	{                                                      \
		&sd_fields_##table, #name, sizeof(struct name) \
	}
	static const struct {
		const struct sd_fields *fields;
		const char *name;
		size_t size;
	} rows[] = {
		S(host, sd_host),
		S(program, sd_program),
		S(calibration, sd_calibration),
		S(source, sd_source_text),
		S(pu, sd_pu),
		S(plan, sd_plan),
		S(machine, sd_sim_machine),
		S(run, sd_run),
		S(sampled, sd_sampled),
		S(simulated, sd_simulated),
		S(native, sd_native_lines),
		S(memory, sd_memory_sampled),
		S(events, sd_event_sampled),
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		check(rows[k].fields, rows[k].name, rows[k].size);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(no_member_of_a_struct_is_forgotten_in_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
