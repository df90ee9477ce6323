/*
 * A machine that samples loads and stores, and runs on it.
 */
#ifndef SD_TEST_MEMORY_MACHINE_H
#define SD_TEST_MEMORY_MACHINE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/probes.h"
#include "support/fakeproc.h"
#include "support/fakering.h"
#include "probe/access_source.h"
#include "memory/access_state.h"
#include "trace/perf_records.h"
#include "record/stacks.h"

#define PID 100
#define CPU 1000u
#define LINE UINT64_C(0x7f0000001000)
#define OWN 11 /* the type of ibs_op and arm_spe in the fake sysfs */

static char root[64];

static inline int setup(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof fake);
	fake_make(root);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	fake_remove(root);
	return fake.open || fake.rings || fake.locked;
}

static inline void intel(unsigned model)
{
#ifndef __x86_64__
	/* it has the events of the architecture it was built for */
	fprintf(stderr, "SKIP: Intel's precise events: this libpfm4 knows no x86\n");
	skip();
#endif
	fake_write(root, "proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: %u\n"
		"stepping\t: 4\n",
		model);
}

static inline void amd(unsigned family, unsigned model)
{
	fake_write(root, "proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: %u\nmodel\t\t: %u\n"
		"stepping\t: 1\n",
		family, model);
}

static inline void arm(void)
{
	fake_write(root, "proc/cpuinfo",
		"processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"
		"CPU part\t: 0xd0c\nCPU revision\t: 1\n");
}

static inline void own_pmu(const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/type", name);
	fake_write(root, path, "%d\n", OWN);
	fake.own = OWN;
}

static inline struct sd_memsource *opened(void)
{
	struct sd_memsource *s;
	char why[160];
	const int rc = sd_access_source_open(&s, root, NULL, why, sizeof why);

	if (rc)
		fail_msg("%s: %s", strerror(-rc), why);
	assert_int_equal(fake.open, 0);
	return s;
}

struct run {
	struct sd_memsource *source;
	struct sd_cpulist cpus;
	struct sd_stacks stacks;
	void *probe;
	struct sd_run result;
	uint64_t now;
};

static inline int begin_with(
	struct run *r, struct sd_memsource *source, enum sd_run_kind kind, unsigned cpus)
{
	struct sd_probe_target target = {.pid = PID, .root = root};
	int rc;

	*r = (struct run){.source = source, .result = {.kind = kind}};
	for (unsigned i = 0; i < cpus; i++)
		assert_int_equal(sd_cpulist_add(&r->cpus, CPU + i), 0);
	target.cpus = &r->cpus;
	target.memory = r->source;
	target.stacks = &r->stacks;
	rc = sd_probe_memory_access.open(&r->probe, &target);
	if (rc)
		(sd_probe_memory_access.fail)(rc, &r->result);
	return rc;
}

static inline int begin(struct run *r, unsigned cpus)
{
	return begin_with(r, opened(), SD_RUN_MEMORY, cpus);
}

static inline const struct sd_memory_sampled *end(struct run *r)
{
	sd_probe_memory_access.stop(r->probe, &r->result);
	sd_probe_memory_access.close(r->probe);
	r->probe = NULL;
	assert_non_null(r->result.memory);
	return r->result.memory;
}

static inline void tick(struct run *r)
{
	r->now += 100000000;
	sd_probe_memory_access.tick(r->probe, r->now);
}

static inline void done(struct run *r)
{
	sd_probe_memory_access.close(r->probe);
	sd_run_free(&r->result);
	sd_cpulist_free(&r->cpus);
	sd_stacks_free(&r->stacks);
	sd_access_source_free(r->source);
}

static inline void trailer(struct fake_record *r, int pid, int tid, uint64_t time)
{
	fake_u32(r, (uint32_t)pid);
	fake_u32(r, (uint32_t)tid);
	fake_u64(r, time);
	fake_u64(r, 1);
}

static inline void put_exec(int leader, int pid, uint64_t time)
{
	struct fake_record *const r =
		fake_begin(PERF_RECORD_COMM, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_COMM_EXEC);

	fake_u32(r, (uint32_t)pid);
	fake_u32(r, (uint32_t)pid);
	fake_bytes(r, "program\0", 8);
	trailer(r, pid, pid, time);
	assert_true(fake_put(r, leader, 0));
}

#endif
