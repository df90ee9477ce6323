#include "host.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "number.h"
#include "processor.h"
#include "textfile.h"

#define PARANOID_UNKNOWN (-100)

static void read_kernel(struct sd_host *out)
{
	struct utsname u;
	char text[sizeof u.sysname + sizeof u.release + sizeof u.machine + 3];

	if (uname(&u))
		return;
	snprintf(text, sizeof text, "%s %s %s", u.sysname, u.release, u.machine);
	sd_textfile_clean(out->kernel, sizeof out->kernel, text);
	sd_textfile_clean(out->name, sizeof out->name, u.nodename);
}

/* "MemAvailable:    3821312 kB", within the first lines. */
static struct sd_value read_memory(const char *root)
{
	char text[4096], *at, *number;
	uint64_t kib;

	if (sd_textfile_read(root, "/proc/meminfo", text, sizeof text))
		return SD_NOT(ABSENT);
	at = strstr(text, "\nMemAvailable:");
	if (!at)
		return SD_NOT(ABSENT);
	number = at + strlen("\nMemAvailable:");
	number += strspn(number, " \t");
	at = number + strspn(number, "0123456789");
	if (strncmp(at, " kB", 3) != 0)
		return SD_NOT(UNSUPPORTED);
	*at = '\0';
	if (sd_number_u64(number, 0, UINT64_MAX >> 10, &kib))
		return SD_NOT(UNSUPPORTED);
	return SD_OK((double)kib * 1024);
}

static int read_paranoid(const char *root)
{
	char text[32];
	double level;

	if (sd_textfile_read(root, "/proc/sys/kernel/perf_event_paranoid", text, sizeof text) ||
		sd_number_double(text, -99, 99, &level) || rint(level) != level)
		return PARANOID_UNKNOWN;
	return (int)level;
}

/* Some virtual machines let the event be opened and never count: a counter must also move. */
static enum sd_status counts(int fd)
{
	uint64_t value[3] = {0}; /* count, time enabled, time running */
	volatile unsigned work = 0;

	for (unsigned i = 0; i < 10000; i++)
		work = work + i;
	if (read(fd, value, sizeof value) != (ssize_t)sizeof value)
		return SD_STATUS_UNSUPPORTED;
	/* never scheduled: others hold all counters now, which says nothing of the PMU */
	if (value[2] == 0)
		return SD_STATUS_ABSENT;
	return value[0] ? SD_STATUS_OK : SD_STATUS_UNSUPPORTED;
}

/* Is there a hardware cycle counter for this process? (perf_event_open(2), ERRORS) */
static enum sd_status find_pmu(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	enum sd_status status;

	if (fd < 0)
		switch (errno) {
		case EACCES:
		case EPERM:
			return SD_STATUS_DENIED;
		case EMFILE:
		case ENFILE:
		case ENOMEM:
		case EBUSY:
			return SD_STATUS_ABSENT;
		default:
			return SD_STATUS_UNSUPPORTED;
		}
	status = counts(fd);
	close(fd);
	return status;
}

int sd_host_read(struct sd_host *out, const struct sd_topology *t, const char *root)
{
	const unsigned known = !t->undescribed; /* else all these are guesses: 0 */

	*out = (struct sd_host){
		.online = t->n_online,
		.allowed = (unsigned)t->n_pu,
		.granted = t->granted,
		.cores = known * t->n_core,
		.packages = known * t->n_package,
		.numa = known * t->n_numa,
		.llc = known * t->n_llc,
		.kinds = known * t->n_kind,
		.quota = t->quota,
		.llc_bytes = t->llc_bytes,
	};
	sd_textfile_clean(out->cpu, sizeof out->cpu, t->cpu_model);
	sd_textfile_clean(out->hypervisor, sizeof out->hypervisor, t->hypervisor);
	read_kernel(out);
	out->memory_bytes = read_memory(root);
	out->perf_paranoid = read_paranoid(root);
	out->pmu = find_pmu();
	out->tsc_hz = sd_processor_tsc_hz();
	return 0;
}
