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
		S(program_file, sd_program_file),
		S(calibration, sd_calibration),
		S(ceiling, sd_ceiling),
		S(source, sd_source_text),
		S(pu, sd_pu),
		S(plan, sd_plan),
		S(point, sd_plan_point),
		S(pass, sd_plan_pass),
		S(experiment, sd_plan_experiment),
		S(machine, sd_sim_machine),
		S(simulation, sd_plan_simulation),
		S(run, sd_run),
		S(thread, sd_thread),
		S(role, sd_role_count),
		S(tried, sd_experiment_run),
		S(copy, sd_copy),
		S(sampled, sd_sampled),
		S(use, sd_use),
		S(lock, sd_lock_use),
		S(bottle, sd_bottle),
		S(simulated, sd_simulated),
		S(sim_thread, sd_sim_thread),
		S(sim_line, sd_sim_contested),
		S(sim_sharer, sd_sim_sharer),
		S(sim_code, sd_sim_code),
		S(sim_loop, sd_sim_loop),
		S(sim_block, sd_sim_block),
		S(sim_race, sd_sim_race),
		S(sim_conflict, sd_sim_conflict),
		S(memory, sd_memory_sampled),
		S(mem_thread, sd_mem_thread),
		S(mem_line, sd_mem_line),
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		unsigned char seen[4096] = {0};
		size_t gap = 0;

		assert_true(rows[k].size <= sizeof seen);
		cover(seen, 0, rows[k].fields);
		for (size_t i = 0; i < rows[k].size; i++) {
			gap = seen[i] ? 0 : gap + 1;
			if (gap >= 8) /* padding is shorter */
				fail_msg("struct %s has a member near byte %zu that the record "
					 "lacks: add a row to its table",
					rows[k].name, i);
		}
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(no_member_of_a_struct_is_forgotten_in_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
