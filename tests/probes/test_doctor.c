/* Findings of the doctor in made-up trees, on a made-up PMU: the door to the kernel is replaced. */
#include "support/fakepmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bpf/switch_programs.h"
#include "probe/doctor.h"
#include "support/fakeproc.h"

static int programs_error, programs_open;

/* instead of bpf/switch_programs.c */
int sd_switch_programs_open(struct sd_switch_programs *p)
{
	*p = (struct sd_switch_programs){.open = !programs_error};
	programs_open += p->open;
	return programs_error;
}

void sd_switch_programs_close(struct sd_switch_programs *p)
{
	programs_open -= p->open;
	*p = (struct sd_switch_programs){0};
}

int sd_switch_programs_ring(
	struct sd_switch_programs *p, unsigned cpu, int event, struct sd_switch_ring **out)
{
	(void)p;
	(void)cpu;
	(void)event;
	*out = NULL;
	return -ENODEV;
}

static const char map[] =
	"family = \"fake\"; title = \"Made up\"; source = \"this test\";\n"
	"architectural = true;\n"
	"cpus = ( { vendor = \"GenuineIntel\"; family = 6; models = \"85\"; } );\n"
	"roles = {\n"
	" cycles = { events = ( { name = \"c\"; code = 0x3c; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" instructions = { events = ( { name = \"i\"; code = 0xc0; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" rfo = { events = ( { name = \"r\"; code = 0x12; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	"};\n";

static int fresh(void **state)
{
	char *root = malloc(64);

	if (!root)
		return -1;
	fake_make(root);
	fake_write(root, "maps/events/fake.conf", "%s", map);
	fake_write(root, "proc/cpuinfo",
		"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n\n");
	memset(&fake, 0, sizeof fake);
	fake.counters = 4;
	programs_error = 0;
	*state = root;
	return 0;
}

static int stale(void **state)
{
	fake_remove(*state);
	free(*state);
	return 0;
}

static void look(const char *root, const char *hypervisor, struct sd_doctor *d)
{
	char maps[80];
	const struct sd_doctor_source source = {
		.root = root, .maps = maps, .hypervisor = hypervisor};

	snprintf(maps, sizeof maps, "%s/maps", root);
	assert_int_equal(sd_doctor_look(d, &source, NULL), 0);
	assert_int_equal(fake.open, 0);
	assert_int_equal(programs_open, 0);
}

static void expect(const struct sd_doctor *d, enum sd_fact_id id, enum sd_status status,
	const char *found, const char *enable)
{
	const struct sd_fact *f = &d->fact[id];

	if (f->status != status || !strstr(f->found, found) ||
		(enable ? !strstr(f->enable, enable) : *f->enable))
		fail_msg("%s: %s '%s', to enable: '%s'", sd_fact_name[id],
			sd_status_name(f->status), f->found, f->enable);
}

static void a_pmu_is_counted_with_and_its_counters_are_counted(void **state)
{
	struct sd_doctor d;

	look(*state, "", &d);
	expect(&d, SD_FACT_PMU, SD_STATUS_OK, "counts", NULL);
	expect(&d, SD_FACT_COUNTERS, SD_STATUS_OK, "4 of one kind", NULL);
	expect(&d, SD_FACT_SYSTEM_WIDE, SD_STATUS_OK, "allowed", NULL);
	assert_string_equal(d.family, "fake");
	assert_int_equal(d.role[SD_ROLE_RFO].value.status, SD_STATUS_OK);
	assert_int_equal(d.role[SD_ROLE_CYCLES].value.status, SD_STATUS_OK);
	assert_int_equal(d.role[SD_ROLE_LOCKS].value.status, SD_STATUS_UNSUPPORTED);
	fake.held = 1;
	fake_write(*state, "proc/sys/kernel/nmi_watchdog", "1\n");
	look(*state, "", &d);
	expect(&d, SD_FACT_COUNTERS, SD_STATUS_OK, "3 of one kind", NULL);
	expect(&d, SD_FACT_WATCHDOG, SD_STATUS_OK, "holds one", "nmi_watchdog=0");
	fake.held = 4;
	look(*state, "", &d);
	expect(&d, SD_FACT_PMU, SD_STATUS_ABSENT, "in use by others", "nmi_watchdog=0");
}

/* Why there is no PMU: what the kernel answers and what the machine says of itself. */
static void no_pmu_has_a_reason_and_a_remedy(void **state)
{
	static const struct {
		const char *name;
		int error;
		const char *hypervisor, *paranoid, *file, *text;
		enum sd_status status;
		const char *found, *enable;
	} rows[] = {
		{"virtual machine", -ENOENT, "KVM", "2", NULL, NULL, SD_STATUS_UNSUPPORTED,
			"virtual machine (KVM)", "pmu=on"},
		{"another hypervisor", -EOPNOTSUPP, "VMware", "2", NULL, NULL,
			SD_STATUS_UNSUPPORTED, "virtual machine (VMware)", "vpmc.enable"},
		{"an unknown one", -ENOENT, "Bogus", "2", NULL, NULL, SD_STATUS_UNSUPPORTED,
			"virtual machine (Bogus)", "virtual PMU"},
		{"bare metal without a driver", -ENOENT, "", "2", NULL, NULL, SD_STATUS_UNSUPPORTED,
			"no driver", "dmesg"},
		{"a kernel without perf", -ENOSYS, "", NULL, NULL, NULL, SD_STATUS_UNSUPPORTED,
			"built without", "CONFIG_PERF_EVENTS"},
		{"a container that answers ENOSYS", -ENOSYS, "", "2", "proc/self/status",
			"Name:\tx\nSeccomp:\t2\n", SD_STATUS_DENIED, "seccomp",
			"--cap-add PERFMON"},
		{"a container", -EPERM, "KVM", "2", "proc/self/status", "Name:\tx\nSeccomp:\t2\n",
			SD_STATUS_DENIED, "seccomp", "--cap-add PERFMON"},
		{"paranoid", -EACCES, "", "4", "proc/self/status", "Name:\tx\nSeccomp:\t0\n",
			SD_STATUS_DENIED, "perf_event_paranoid is 4",
			"sysctl kernel.perf_event_paranoid=1"},
		{"SELinux", -EACCES, "", "2", "sys/fs/selinux/enforce", "1", SD_STATUS_DENIED,
			"SELinux", "perf_event"},
		{"locked down", -EPERM, "", "1", "sys/kernel/security/lockdown",
			"none integrity [confidentiality]", SD_STATUS_DENIED, "locked down",
			"lockdown=integrity"},
		{"for another reason", -EACCES, "", "2", NULL, NULL, SD_STATUS_DENIED, "this user",
			"CAP_PERFMON"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_doctor d;
		void *root;

		assert_int_equal(fresh(&root), 0);
		fake.error = rows[i].error;
		if (rows[i].paranoid)
			fake_write(root, "proc/sys/kernel/perf_event_paranoid", "%s\n",
				rows[i].paranoid);
		if (rows[i].file)
			fake_write(root, rows[i].file, "%s", rows[i].text);
		look(root, rows[i].hypervisor, &d);
		print_message("%s\n", rows[i].name);
		expect(&d, SD_FACT_PMU, rows[i].status, rows[i].found, rows[i].enable);
		assert_int_equal(d.fact[SD_FACT_COUNTERS].status, rows[i].status);
		/* whose samples need no counter, but the same call */
		assert_int_equal(d.fact[SD_FACT_NATIVE].status,
			rows[i].error == -EACCES || rows[i].error == -EPERM
				? SD_STATUS_DENIED
				: SD_STATUS_UNSUPPORTED);
		assert_false(sd_has(d.role[SD_ROLE_CYCLES].value));
		assert_string_equal(d.family, "");
		stale(&root);
	}
}

/* Reasons that keep programs from recording switches, and who could let them. */
static void without_programs_there_is_a_reason_and_what_is_lost(void **state)
{
#define ALL "CapEff:\t000001ffffffffff\n"
#define NONE "CapEff:\t0000000000000000\n"
#define BOTH "CapEff:\t000000c000000000\n"
#define DOCKER "CapEff:\t00000000a80425fb\n"
	static const struct {
		const char *name;
		int error;
		const char *status, *file, *text;
		enum sd_status expected;
		const char *found, *enable;
	} rows[] = {
		{"an ordinary user", -EPERM, NONE, NULL, NULL, SD_STATUS_DENIED, "this user",
			"CAP_BPF and CAP_PERFMON"},
		{"one of the two capabilities", -EACCES, "CapEff:\t0000008000000000\n", NULL, NULL,
			SD_STATUS_DENIED, "this user", "CAP_BPF and CAP_PERFMON"},
		{"a container of root's", -EPERM, DOCKER "Seccomp:\t2\n", NULL, NULL,
			SD_STATUS_DENIED, "container without CAP_BPF", "--cap-add BPF"},
		{"a filter of its own", -EPERM, ALL "Seccomp:\t2\n", NULL, NULL, SD_STATUS_DENIED,
			"seccomp", "unconfined"},
		{"a filter that answers ENOSYS", -ENOSYS, BOTH "Seccomp:\t2\n", NULL, NULL,
			SD_STATUS_DENIED, "seccomp", "unconfined"},
		{"a rootless container", -EPERM, ALL, "proc/self/uid_map", "0 1000 1\n",
			SD_STATUS_DENIED, "user namespace", "outside of it"},
		{"locked down", -EPERM, BOTH, "sys/kernel/security/lockdown",
			"none integrity [confidentiality]", SD_STATUS_DENIED, "locked down",
			"lockdown=integrity"},
		{"for another reason", -EPERM, ALL, "sys/kernel/security/lockdown",
			"none [integrity] confidentiality", SD_STATUS_DENIED, "security module",
			"journalctl"},
		{"a PID namespace", -EXDEV, ALL, NULL, NULL, SD_STATUS_UNSUPPORTED, "PID namespace",
			"--pid=host"},
		{"no types", -ENOENT, ALL, NULL, NULL, SD_STATUS_UNSUPPORTED, "BTF",
			"CONFIG_DEBUG_INFO_BTF"},
		{"an old kernel", -EOPNOTSUPP, ALL, NULL, NULL, SD_STATUS_UNSUPPORTED, "too old",
			"5.18"},
		{"no such call", -ENOSYS, ALL "Seccomp:\t0\n", NULL, NULL, SD_STATUS_UNSUPPORTED,
			"without BPF", "CONFIG_BPF_SYSCALL"},
		{"a kernel that refuses them", -EINVAL, ALL, NULL, NULL, SD_STATUS_UNSUPPORTED,
			"Invalid argument", NULL},
	};
	struct sd_doctor d;

	look(*state, "", &d);
	expect(&d, SD_FACT_SWITCHES, SD_STATUS_OK, "all of them", NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		void *root;

		assert_int_equal(fresh(&root), 0);
		programs_error = rows[i].error;
		fake_write(root, "proc/self/status", "Name:\tx\n%s", rows[i].status);
		if (rows[i].file)
			fake_write(root, rows[i].file, "%s", rows[i].text);
		look(root, "", &d);
		print_message("%s\n", rows[i].name);
		expect(&d, SD_FACT_SWITCHES, rows[i].expected, rows[i].found, rows[i].enable);
		assert_non_null(strstr(d.fact[SD_FACT_SWITCHES].found, "only windows"));
		stale(&root);
	}
}

static void what_is_switched_off_is_told_with_the_switch(void **state)
{
	const char *root = *state;
	struct sd_doctor d;

	fake_write(root, "proc/sys/kernel/task_delayacct", "0\n");
	fake_write(root, "sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
	fake_write(root, "proc/self/schedstat", "0 0 0\n");
	look(root, "", &d);
	expect(&d, SD_FACT_DELAYACCT, SD_STATUS_ABSENT, "off", "task_delayacct=1");
	expect(&d, SD_FACT_HUGE_PAGES, SD_STATUS_ABSENT, "off", "echo madvise");
	expect(&d, SD_FACT_SCHEDSTAT, SD_STATUS_ABSENT, "stays at 0", "SCHED_INFO");
	expect(&d, SD_FACT_SYSCALL, SD_STATUS_UNSUPPORTED, "no /proc/PID/syscall", "TRACEHOOK");
	expect(&d, SD_FACT_PSI, SD_STATUS_ABSENT, "no /proc/pressure", "psi=1");
	expect(&d, SD_FACT_UNCORE, SD_STATUS_UNSUPPORTED, "none", NULL);
	expect(&d, SD_FACT_TSC, SD_STATUS_UNSUPPORTED, "no msr/tsc/", NULL);
	expect(&d, SD_FACT_QUOTA, SD_STATUS_OK, "none", NULL);
}

static void what_is_there_needs_nothing(void **state)
{
	const char *root = *state;
	struct sd_doctor d;

	fake_write(root, "proc/sys/kernel/task_delayacct", "1\n");
	fake_write(root, "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	fake_write(root, "proc/self/schedstat", "7 1 2\n");
	fake_write(root, "proc/self/syscall", "34 0x0\n");
	fake_write(root, "proc/pressure/cpu", "some avg10=0.00 total=1\n");
	fake_write(root, "sys/bus/event_source/devices/msr/type", "9\n");
	fake_write(root, "sys/bus/event_source/devices/uncore_imc_0/type", "20\n");
	look(root, "", &d);
	expect(&d, SD_FACT_DELAYACCT, SD_STATUS_OK, "on", NULL);
	expect(&d, SD_FACT_NATIVE, SD_STATUS_OK, "samples of plain runs", NULL);
	expect(&d, SD_FACT_HUGE_PAGES, SD_STATUS_OK, "always", NULL);
	expect(&d, SD_FACT_SCHEDSTAT, SD_STATUS_OK, "available", NULL);
	expect(&d, SD_FACT_SYSCALL, SD_STATUS_OK, "available", NULL);
	expect(&d, SD_FACT_PSI, SD_STATUS_OK, "available", NULL);
	expect(&d, SD_FACT_TSC, SD_STATUS_OK, "available (msr/tsc/)", NULL);
	expect(&d, SD_FACT_UNCORE, SD_STATUS_OK, "1 PMUs", NULL);
	fake.no_system = 1;
	look(root, "", &d);
	expect(&d, SD_FACT_SYSTEM_WIDE, SD_STATUS_DENIED, "forbidden", "perf_event_paranoid=0");
	expect(&d, SD_FACT_UNCORE, SD_STATUS_DENIED, "only count whole CPUs",
		"perf_event_paranoid=0");
}

static void a_broken_map_is_the_doctors_only_error(void **state)
{
	const struct sd_doctor_source source = {
		.root = *state, .maps = "/nowhere", .hypervisor = ""};
	char maps[80];
	struct sd_doctor_source broken = {.root = *state, .maps = maps, .hypervisor = ""};
	struct sd_doctor d;

	assert_int_equal(sd_doctor_look(&d, &source, NULL), -ENOENT);
	assert_int_equal(d.fact[SD_FACT_PMU].status, SD_STATUS_OK);
	fake_write(*state, "maps/events/fake.conf", "family");
	snprintf(maps, sizeof maps, "%s/maps", (char *)*state);
	assert_int_equal(sd_doctor_look(&d, &broken, NULL), -EINVAL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, stale)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_pmu_is_counted_with_and_its_counters_are_counted),
		cmocka_unit_test(no_pmu_has_a_reason_and_a_remedy),
		TEST(without_programs_there_is_a_reason_and_what_is_lost),
		TEST(what_is_switched_off_is_told_with_the_switch),
		TEST(what_is_there_needs_nothing),
		TEST(a_broken_map_is_the_doctors_only_error),
	};

	return cmocka_run_group_tests_name("probes/doctor", tests, NULL, NULL);
}
