#include "probe/host_facts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/number.h"
#include "pmu/pmu_status.h"
#include "machine/hypervisor_tsc.h"
#include "proc/textfile.h"

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

int sd_host_facts_read(struct sd_host *out, const struct sd_topology *t, const char *root)
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
	out->pmu = sd_pmu_status_find(NULL);
	out->tsc_hz = sd_hypervisor_tsc_hz();
	return 0;
}
