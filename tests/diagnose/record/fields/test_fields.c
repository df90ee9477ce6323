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
		return sizeof(int);
	case SD_FIELD_SIZE:
	case SD_FIELD_COUNT64:
	case SD_FIELD_BITS64:
	case SD_FIELD_REAL:
		return 8;
	case SD_FIELD_VALUE:
		return sizeof(struct sd_value);
	}
	return 0;
}

static void cover(unsigned char *seen, const struct sd_fields *fields)
{
	for (size_t i = 0; i < fields->n; i++)
		memset(seen + fields->field[i].offset, 1, size_of(&fields->field[i]));
}

/* Fails when a member of the struct is in no table: padding is shorter than 8 bytes. */
static void check_covered(const char *name, const unsigned char *seen, size_t size)
{
	size_t gap = 0;

	for (size_t i = 0; i < size; i++) {
		gap = seen[i] ? 0 : gap + 1;
		if (gap >= 8)
			fail_msg("struct %s has a member near byte %zu that the record lacks: add "
				 "a row in field.c",
				name, i);
	}
}

static void no_member_of_a_struct_is_forgotten_in_the_record(void **state)
{
	unsigned char seen[4096];

	(void)state;
#define OTHER(s, m) memset(seen + offsetof(struct s, m), 1, sizeof((struct s *)0)->m)
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_host);
	check_covered("sd_host", seen, sizeof(struct sd_host));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_thread);
	check_covered("sd_thread", seen, sizeof(struct sd_thread));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_run);
	cover(seen, &sd_fields_metrics);
	cover(seen, &sd_fields_idle);
	OTHER(sd_run, concurrency);
	OTHER(sd_run, n_concurrency);
	OTHER(sd_run, thread);
	OTHER(sd_run, n_thread);
	OTHER(sd_run, flags);
	OTHER(sd_run, role);
	OTHER(sd_run, n_role);
	OTHER(sd_run, pass);
	OTHER(sd_run, sampled);
	OTHER(sd_run, simulated);
	OTHER(sd_run, memory);
	OTHER(sd_run, tried);
	check_covered("sd_run", seen, sizeof(struct sd_run));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_role);
	check_covered("sd_role_count", seen, sizeof(struct sd_role_count));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sampled);
	OTHER(sd_sampled, use);
	OTHER(sd_sampled, n_use);
	OTHER(sd_sampled, lock);
	OTHER(sd_sampled, n_lock);
	OTHER(sd_sampled, bottle);
	OTHER(sd_sampled, n_bottle);
	check_covered("sd_sampled", seen, sizeof(struct sd_sampled));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_lock);
	OTHER(sd_lock_use, holder);
	OTHER(sd_lock_use, waiter);
	check_covered("sd_lock_use", seen, sizeof(struct sd_lock_use));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_bottle);
	check_covered("sd_bottle", seen, sizeof(struct sd_bottle));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_plan);
	OTHER(sd_plan, point);
	OTHER(sd_plan, n_point);
	OTHER(sd_plan, skipped);
	OTHER(sd_plan, n_skipped);
	OTHER(sd_plan, pass);
	OTHER(sd_plan, n_pass);
	OTHER(sd_plan, multiplex);
	OTHER(sd_plan, no_samples);
	OTHER(sd_plan, simulation);
	OTHER(sd_plan, experiment);
	OTHER(sd_plan, n_experiment);
	check_covered("sd_plan", seen, sizeof(struct sd_plan));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_experiment);
	OTHER(sd_plan_experiment, cpus);
	OTHER(sd_plan_experiment, skipped);
	OTHER(sd_plan_experiment, unended_s);
	check_covered("sd_plan_experiment", seen, sizeof(struct sd_plan_experiment));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_tried);
	OTHER(sd_experiment_run, copy);
	OTHER(sd_experiment_run, n_copy);
	check_covered("sd_experiment_run", seen, sizeof(struct sd_experiment_run));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_copy);
	check_covered("sd_copy", seen, sizeof(struct sd_copy));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_calibration);
	OTHER(sd_calibration, statement);
	OTHER(sd_calibration, ceiling);
	OTHER(sd_calibration, n_ceiling);
	check_covered("sd_calibration", seen, sizeof(struct sd_calibration));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_ceiling);
	check_covered("sd_ceiling", seen, sizeof(struct sd_ceiling));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_program);
	OTHER(sd_program, argv);
	OTHER(sd_program, cwd);
	OTHER(sd_program, rate);
	OTHER(sd_program, env);
	OTHER(sd_program, prepare);
	OTHER(sd_program, file);
	check_covered("sd_program", seen, sizeof(struct sd_program));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_program_file);
	check_covered("sd_program_file", seen, sizeof(struct sd_program_file));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_machine);
	check_covered("sd_sim_machine", seen, sizeof(struct sd_sim_machine));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_simulation);
	OTHER(sd_plan_simulation, machine);
	OTHER(sd_plan_simulation, tried);
	check_covered("sd_plan_simulation", seen, sizeof(struct sd_plan_simulation));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_simulated);
	OTHER(sd_simulated, machine);
	OTHER(sd_simulated, thread);
	OTHER(sd_simulated, n_thread);
	OTHER(sd_simulated, contested);
	OTHER(sd_simulated, n_contested);
	OTHER(sd_simulated, loop);
	OTHER(sd_simulated, n_loop);
	OTHER(sd_simulated, block);
	OTHER(sd_simulated, n_block);
	OTHER(sd_simulated, race);
	OTHER(sd_simulated, n_race);
	OTHER(sd_simulated, conflict);
	OTHER(sd_simulated, n_conflict);
	check_covered("sd_simulated", seen, sizeof(struct sd_simulated));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_block);
	check_covered("sd_sim_block", seen, sizeof(struct sd_sim_block));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_memory);
	OTHER(sd_memory_sampled, thread);
	OTHER(sd_memory_sampled, n_thread);
	OTHER(sd_memory_sampled, contested);
	OTHER(sd_memory_sampled, n_contested);
	check_covered("sd_memory_sampled", seen, sizeof(struct sd_memory_sampled));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_mem_thread);
	check_covered("sd_mem_thread", seen, sizeof(struct sd_mem_thread));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_mem_moves);
	OTHER(sd_mem_line, line);
	check_covered("sd_mem_line", seen, sizeof(struct sd_mem_line));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_thread);
	OTHER(sd_sim_thread, distance);
	check_covered("sd_sim_thread", seen, sizeof(struct sd_sim_thread));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_line);
	OTHER(sd_sim_contested, sharer);
	OTHER(sd_sim_contested, n_sharer);
	OTHER(sd_sim_contested, code);
	OTHER(sd_sim_contested, n_code);
	check_covered("sd_sim_contested", seen, sizeof(struct sd_sim_contested));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_sharer);
	check_covered("sd_sim_sharer", seen, sizeof(struct sd_sim_sharer));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_code);
	check_covered("sd_sim_code", seen, sizeof(struct sd_sim_code));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_loop);
	check_covered("sd_sim_loop", seen, sizeof(struct sd_sim_loop));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_race);
	check_covered("sd_sim_race", seen, sizeof(struct sd_sim_race));
	memset(seen, 0, sizeof seen);
	cover(seen, &sd_fields_sim_conflict);
	OTHER(sd_sim_conflict, stride);
	check_covered("sd_sim_conflict", seen, sizeof(struct sd_sim_conflict));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(no_member_of_a_struct_is_forgotten_in_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
