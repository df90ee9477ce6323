#include "probes/doctor_look.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "native/native_watch.h"
#include "perf_event/counter_read.h"
#include "perf_event/perf_event.h"
#include "pmu/pmu_status.h"
#include "probe/event_encode.h"
#include "probe/access_source.h"
#include "proc/textfile.h"

void sd_doctor_look_say(
	struct sd_fact *f, enum sd_status status, const char *enable, const char *fmt, ...)
{
	va_list ap;

	f->status = status;
	snprintf(f->enable, sizeof f->enable, "%s", enable);
	va_start(ap, fmt);
	vsnprintf(f->found, sizeof f->found, fmt, ap);
	va_end(ap);
}

enum sd_status sd_doctor_look_status(int error)
{
	return error == -EACCES || error == -EPERM ? SD_STATUS_DENIED : SD_STATUS_UNSUPPORTED;
}

void sd_doctor_look_pmu(const struct sd_doctor_look *l, struct sd_fact *f)
{
	sd_pmu_status_explain(f, l->source);
}

void sd_doctor_look_counters(const struct sd_doctor_look *l, struct sd_fact *f)
{
	const enum sd_status pmu = l->out->fact[SD_FACT_PMU].status;

	if (pmu == SD_STATUS_OK)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "%u of one kind count at once",
			sd_pmu_status_counters());
	else
		sd_doctor_look_say(f, pmu, "", "no hardware counters");
}

void sd_doctor_look_watchdog(const struct sd_doctor_look *l, struct sd_fact *f)
{
	char text[16];

	if (sd_textfile_read(l->root, "/proc/sys/kernel/nmi_watchdog", text, sizeof text))
		sd_doctor_look_say(f, SD_STATUS_OK, "", "none");
	else if (strcmp(text, "0") == 0)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "off");
	else
		sd_doctor_look_say(f, SD_STATUS_OK, "sysctl kernel.nmi_watchdog=0",
			"on: holds one counter of each CPU");
}

/* A counter of the kernel's own clock, on a CPU instead of a process. */
void sd_doctor_look_system_wide(const struct sd_doctor_look *l, struct sd_fact *f)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.read_format = SD_COUNTER_READ_FORMAT};
	const int fd = sd_perf_event_open(&attr, -1, 0);

	(void)l;
	sd_perf_event_close(fd);
	if (fd >= 0)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "allowed");
	else if (sd_doctor_look_status(fd) == SD_STATUS_DENIED)
		sd_doctor_look_say(f, SD_STATUS_DENIED,
			"sysctl kernel.perf_event_paranoid=0, or the capability CAP_PERFMON",
			"forbidden to this user");
	else
		sd_doctor_look_say(f, SD_STATUS_UNSUPPORTED, "", "not possible: %s", strerror(-fd));
}

void sd_doctor_look_uncore(const struct sd_doctor_look *l, struct sd_fact *f)
{
	char path[512];
	unsigned n = 0;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof path, "%s/sys/bus/event_source/devices", l->root);
	d = opendir(path);
	while (d && (e = readdir(d)))
		n += strncmp(e->d_name, "uncore_", 7) == 0 || strncmp(e->d_name, "amd_", 4) == 0 ||
		     strncmp(e->d_name, "arm_", 4) == 0;
	if (d)
		closedir(d);
	if (n == 0)
		sd_doctor_look_say(f, SD_STATUS_UNSUPPORTED, "", "none");
	else if (l->out->fact[SD_FACT_SYSTEM_WIDE].status == SD_STATUS_OK)
		sd_doctor_look_say(
			f, SD_STATUS_OK, "", "%u PMUs: memory controllers, links and caches", n);
	else
		sd_doctor_look_say(f, SD_STATUS_DENIED, l->out->fact[SD_FACT_SYSTEM_WIDE].enable,
			"%u PMUs, which only count whole CPUs", n);
}

void sd_doctor_look_memory(const struct sd_doctor_look *l, struct sd_fact *f)
{
	const enum sd_status pmu = l->out->fact[SD_FACT_PMU].status;
	struct sd_memsource *source = NULL;
	char why[160] = "no hardware counters";
	int rc = -ENODEV;

	if (pmu == SD_STATUS_OK)
		rc = sd_access_source_open(&source, l->root, l->source->maps, why, sizeof why);
	if (!rc)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "%s, with addresses and data sources",
			sd_access_source_name(source));
	else if (rc == -EACCES)
		sd_doctor_look_say(f, SD_STATUS_DENIED,
			"sysctl kernel.perf_event_paranoid=1, or the capability CAP_PERFMON", "%s",
			why);
	else
		sd_doctor_look_say(
			f, pmu == SD_STATUS_OK ? SD_STATUS_UNSUPPORTED : pmu, "", "%s", why);
	sd_access_source_free(source);
}

static int open_self(uint32_t type, uint64_t config, int user)
{
	const struct perf_event_attr attr = {.type = type,
		.size = sizeof attr,
		.config = config,
		.read_format = SD_COUNTER_READ_FORMAT,
		.exclude_kernel = user != 0,
		.exclude_hv = user != 0};
	const int fd = sd_perf_event_open(&attr, 0, -1);

	sd_perf_event_close(fd);
	return fd < 0 ? fd : 0;
}

/* As a run's samples are asked for: of the CPU clock, with a user's registers and stack. */
void sd_doctor_look_native(const struct sd_doctor_look *l, struct sd_fact *f)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = 1,
		.sample_stack_user = 1024,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	int fd;

	(void)l;
	if (!sd_native_watch_decodes()) {
		sd_doctor_look_say(f, SD_STATUS_UNSUPPORTED, "",
			"the instructions of this machine are not decoded");
		return;
	}
	fd = sd_perf_event_open(&attr, 0, -1);
	sd_perf_event_close(fd);
	if (fd >= 0)
		sd_doctor_look_say(f, SD_STATUS_OK, "",
			"named from the samples of plain runs, by their registers");
	else
		sd_doctor_look_say(f, sd_doctor_look_status(fd),
			"sysctl kernel.perf_event_paranoid=2; in a container: --cap-add PERFMON",
			"no samples with registers: %s", strerror(-fd));
}

void sd_doctor_look_tsc(const struct sd_doctor_look *l, struct sd_fact *f)
{
	struct sd_pmuboxes msr = {0};
	int rc = sd_uncore_pmus_read(&msr, "msr", l->root);

	if (!rc)
		rc = open_self(msr.box[0].type, 0, 0);
	sd_uncore_pmus_free(&msr);
	if (!rc)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "available (msr/tsc/)");
	else if (sd_doctor_look_status(rc) == SD_STATUS_DENIED)
		sd_doctor_look_say(f, SD_STATUS_DENIED,
			"sysctl kernel.perf_event_paranoid=1, or the capability CAP_PERFMON",
			"msr/tsc/ is forbidden to this user: CPU time times the clock's rate stands in");
	else
		sd_doctor_look_say(f, SD_STATUS_UNSUPPORTED, "",
			"no msr/tsc/: CPU time times the clock's rate stands in");
}

void sd_doctor_look_task_clock(const struct sd_doctor_look *l, struct sd_fact *f)
{
	const int rc = open_self(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1);

	(void)l;
	if (!rc)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "available, with orphaned children");
	else
		sd_doctor_look_say(f, sd_doctor_look_status(rc),
			"sysctl kernel.perf_event_paranoid=2",
			"%s: the kernel's accounting of finished processes stands in",
			strerror(-rc));
}
