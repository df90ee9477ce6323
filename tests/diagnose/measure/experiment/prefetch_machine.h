/*
 * A machine whose registers can fail at any step.
 */
#ifndef SD_TEST_PREFETCH_MACHINE_H
#define SD_TEST_PREFETCH_MACHINE_H

#include <sys/prctl.h>
#include <sys/stat.h>

#include "support/measure_fakes.h"
#include "experiment/msr.h"
#include "experiment/prefetchers.h"

#define CPUS 4
#define MSR 0x1a4
#define OFF UINT64_C(0xf)

/* Values of the registers: bits of others, and on CPU 3 one prefetcher that is off already. */
static const uint64_t held[CPUS] = {0x20, 0x20, 0, 0x28};

/* Faults that all processes share: which step fails, and how. */
static struct faults {
	unsigned step, fail, last; /* from `fail` up to `last` the steps fail */
	int rc;
	int ignored; /* writes have no effect */
} * fault;

static struct sd_msr kernel;

static unsigned cpu_numbers[CPUS] = {0, 1, 2, 3};

static const struct sd_cpulist cpus = {.cpu = cpu_numbers, .n = CPUS};

struct machine {
	char folder[128], file[200];
	struct sd_prefetchers_of of;
	struct said said;
};

static inline int fails(void)
{
	const unsigned step = ++fault->step;

	return fault->fail && step >= fault->fail && step <= fault->last ? fault->rc : 0;
}

static inline int read_or_fail(
	const struct sd_msr *m, unsigned cpu, uint32_t address, uint64_t *value)
{
	const int rc = fails();

	return rc ? rc : kernel.read(m, cpu, address, value);
}

static inline int write_or_fail(
	const struct sd_msr *m, unsigned cpu, uint32_t address, uint64_t value)
{
	const int rc = fails();

	return rc || fault->ignored ? rc : kernel.write(m, cpu, address, value);
}

static inline uint64_t now(const struct machine *m, unsigned cpu)
{
	uint64_t value = ~UINT64_C(0);

	assert_int_equal(kernel.read(&m->of.msr, cpu, MSR, &value), 0);
	return value;
}

static inline void fill(const struct machine *m, const uint64_t *values, uint64_t more)
{
	for (unsigned i = 0; i < CPUS; i++)
		assert_int_equal(kernel.write(&m->of.msr, i, MSR, values[i] | more), 0);
}

static inline int as_held(const struct machine *m, uint64_t more)
{
	for (unsigned i = 0; i < CPUS; i++)
		if (now(m, i) != (held[i] | more))
			return 0;
	return 1;
}

static inline int there(const char *path)
{
	return access(path, F_OK) == 0;
}

static inline void make_machine(struct machine *m)
{
	char path[400];

	make_folder(m->folder, sizeof m->folder);
	snprintf(m->file, sizeof m->file, "%s/old-bits", m->folder);
	snprintf(path, sizeof path, "%s/dev", m->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/dev/cpu", m->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	for (int i = 0; i < CPUS; i++) {
		snprintf(path, sizeof path, "%s/dev/cpu/%d", m->folder, i);
		assert_int_equal(mkdir(path, 0700), 0);
		snprintf(path, sizeof path, "%s/dev/cpu/%d/msr", m->folder, i);
		write_file(path, "", 0600);
	}
	kernel = sd_msr_of(m->folder);
	m->of = (struct sd_prefetchers_of){
		.msr = {.root = m->folder, .read = read_or_fail, .write = write_or_fail},
		.bits = {.msr = MSR, .off = OFF, .source = "test"},
		.file = m->file};
	m->said = (struct said){0};
	*fault = (struct faults){0};
	fill(m, held, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static inline void drop_machine(struct machine *m)
{
	char command[400];

	assert_no_children();
	snprintf(command, sizeof command, "rm -r '%s'", m->folder);
	assert_int_equal(system(command), 0);
}

static inline struct sd_sink sink_of(struct machine *m)
{
	return (struct sd_sink){.emit = hear_said, .ctx = &m->said};
}

#endif
