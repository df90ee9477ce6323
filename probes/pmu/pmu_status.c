#include "pmu/pmu_status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_event/counter_read.h"
#include "base/number.h"
#include "perf_event/perf_event.h"
#include "machine/hypervisor_tsc.h"
#include "proc/textfile.h"

#define MOST_COUNTERS 32

static struct perf_event_attr attr_of(uint64_t config, int disabled)
{
	return (struct perf_event_attr){.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = SD_COUNTER_READ_FORMAT,
		.disabled = disabled != 0,
		.exclude_kernel = 1,
		.exclude_hv = 1};
}

/* A counter must move: some 10 us of work. */
static void work(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 10000; i++)
		sum = sum + i;
}

enum sd_status sd_pmu_status_find(int *error)
{
	const struct perf_event_attr attr = attr_of(PERF_COUNT_HW_CPU_CYCLES, 0);
	const int fd = sd_perf_event_open(&attr, 0, -1);
	struct sd_counter_read_reading r = {0};
	int rc;

	if (error)
		*error = fd < 0 ? fd : 0;
	if (fd < 0)
		return sd_counter_read_error(fd);
	work();
	rc = sd_perf_event_read(fd, &r);
	sd_perf_event_close(fd);
	if (rc)
		return SD_STATUS_UNSUPPORTED;
	/* never scheduled: others hold all counters now, which says nothing of the PMU */
	if (r.running == 0)
		return SD_STATUS_ABSENT;
	/* some virtual machines let the event be opened and never count */
	return r.value ? SD_STATUS_OK : SD_STATUS_UNSUPPORTED;
}

/* Whether `n` of an event count together. */
static int fits(int n)
{
	int fd[MOST_COUNTERS], opened = 0, good = 1;

	for (; opened < n && good; opened++) {
		const struct perf_event_attr attr =
			attr_of(PERF_COUNT_HW_INSTRUCTIONS, opened == 0);

		fd[opened] = sd_perf_event_open_in(&attr, 0, -1, opened ? fd[0] : -1);
		if (fd[opened] < 0) {
			good = 0;
			break;
		}
	}
	if (good)
		good = sd_perf_event_switch(fd[0], 1) == 0;
	if (good)
		work();
	for (int i = 0; i < opened && good; i++) {
		struct sd_counter_read_reading r;

		good = sd_perf_event_read(fd[i], &r) == 0 && r.running && r.running >= r.enabled;
	}
	while (opened-- > 0)
		sd_perf_event_close(fd[opened]);
	return good;
}

unsigned sd_pmu_status_counters(void)
{
	unsigned n = 0;

	while (n < MOST_COUNTERS && fits((int)n + 1))
		n++;
	return n;
}

/* ---- why there is none ---- */

/* How each hypervisor gives its guests counters. */
static const struct {
	const char *hypervisor, *enable;
} virtual_pmus[] = {
	{"KVM", "on the host: qemu -cpu host,pmu=on, libvirt <features><pmu "
		"state='on'/></features>; "
		"in a cloud: a bare-metal instance, or a size that covers a whole socket"},
	{"VMware", "in the machine's .vmx file: vpmc.enable = \"TRUE\""},
	{"Hyper-V", "on the host: Set-VMProcessor NAME -Perfmon @(\"pmu\")"},
	{"Microsoft Hv", "on the host: Set-VMProcessor NAME -Perfmon @(\"pmu\")"},
	{"Xen", "on the hypervisor's command line: vpmu=on"},
};

static void put(struct sd_fact *f, enum sd_status status, const char *found, const char *enable)
{
	f->status = status;
	snprintf(f->found, sizeof f->found, "%s", found);
	snprintf(f->enable, sizeof f->enable, "%s", enable);
}

/* No such event: a virtual machine, or a CPU without a driver. */
static void explain_unsupported(struct sd_fact *f, const struct sd_doctor_source *source)
{
	char name[32] = "", found[128];
	const char *enable = "the hypervisor must give the machine a virtual PMU";

	if (source->hypervisor)
		snprintf(name, sizeof name, "%s", source->hypervisor);
	else
		sd_hypervisor_tsc_name(name, sizeof name);
	if (!*name) {
		put(f, SD_STATUS_UNSUPPORTED, "none: the kernel has no driver for this CPU's",
			"dmesg | grep -iE 'pmu|performance events' says what the kernel found");
		return;
	}
	for (size_t i = 0; i < sizeof virtual_pmus / sizeof *virtual_pmus; i++)
		if (strcmp(virtual_pmus[i].hypervisor, name) == 0)
			enable = virtual_pmus[i].enable;
	snprintf(found, sizeof found, "none: a virtual machine (%s) without a virtual PMU", name);
	put(f, SD_STATUS_UNSUPPORTED, found, enable);
}

static int has_line(const char *root, const char *path, const char *line)
{
	char text[8192];

	return !sd_textfile_read(root, path, text, sizeof text) && strstr(text, line) != NULL;
}

static int paranoid(const char *root)
{
	char text[32];
	double level;

	if (sd_textfile_read(root, "/proc/sys/kernel/perf_event_paranoid", text, sizeof text) ||
		sd_number_double(text, -99, 99, &level))
		return -100;
	return (int)level;
}

static void explain_denied(struct sd_fact *f, const char *root)
{
	char found[128];
	const int level = paranoid(root);

	snprintf(found, sizeof found, "forbidden: kernel.perf_event_paranoid is %d", level);
	if (has_line(root, "/proc/self/status", "\nSeccomp:\t2"))
		put(f, SD_STATUS_DENIED, "forbidden: a seccomp filter, as containers have",
			"start the container with --cap-add PERFMON (older ones: --cap-add "
			"SYS_ADMIN, "
			"or --security-opt seccomp=unconfined)");
	else if (level > 2)
		put(f, SD_STATUS_DENIED, found, "sysctl kernel.perf_event_paranoid=1");
	else if (has_line(root, "/sys/fs/selinux/enforce", "1"))
		put(f, SD_STATUS_DENIED, "forbidden: SELinux is enforcing",
			"allow this domain the class perf_event, or: setenforce 0");
	else if (has_line(root, "/sys/kernel/security/lockdown", "[confidentiality]"))
		put(f, SD_STATUS_DENIED, "forbidden: the kernel is locked down (confidentiality)",
			"boot with lockdown=integrity");
	else
		put(f, SD_STATUS_DENIED, "forbidden to this user",
			"sysctl kernel.perf_event_paranoid=1, or the capability CAP_PERFMON");
}

void sd_pmu_status_explain(struct sd_fact *f, const struct sd_doctor_source *source)
{
	const char *root = source->root ? source->root : "";
	int error = 0;
	const enum sd_status status = sd_pmu_status_find(&error);

	if (status == SD_STATUS_OK)
		put(f, status, "a cycle counter counts", "");
	else if (status == SD_STATUS_DENIED || (error == -ENOSYS && paranoid(root) != -100))
		explain_denied(f, root); /* some filters answer ENOSYS */
	else if (error == -ENOSYS)
		put(f, SD_STATUS_UNSUPPORTED, "none: the kernel is built without perf events",
			"a kernel with CONFIG_PERF_EVENTS");
	else if (status == SD_STATUS_UNSUPPORTED)
		explain_unsupported(f, source);
	else
		put(f, status, "all counters are in use by others now",
			"end other profilers; sysctl kernel.nmi_watchdog=0");
}
