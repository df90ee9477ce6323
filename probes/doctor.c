#include "probe/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup/cgroup.h"
#include "perf_event/counter_read.h"
#include "probe/counter_plan.h"
#include "probe/event_encode.h"
#include "machine/private_cgroup.h"
#include "probe/access_source.h"
#include "perf_event/perf_event.h"
#include "probes/mpi_launchers.h"
#include "pmu/pmu_status.h"
#include "proc/textfile.h"

const char *const sd_fact_name[SD_FACT_COUNT] = {
#define X(id, name, label) [SD_FACT_##id] = name,
	SD_FACTS(X)
#undef X
};
const char *const sd_fact_label[SD_FACT_COUNT] = {
#define X(id, name, label) [SD_FACT_##id] = label,
	SD_FACTS(X)
#undef X
};

/* What the looks share. */
struct look {
	const struct sd_doctor_source *source;
	const char *root;
	struct sd_doctor *out;
	pid_t child; /* waits; -1: none */
};

static void say(struct sd_fact *f, enum sd_status status, const char *enable, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void say(struct sd_fact *f, enum sd_status status, const char *enable, const char *fmt, ...)
{
	va_list ap;

	f->status = status;
	snprintf(f->enable, sizeof f->enable, "%s", enable);
	va_start(ap, fmt);
	vsnprintf(f->found, sizeof f->found, fmt, ap);
	va_end(ap);
}

static int read_text(const struct look *l, const char *path, char *text, size_t size)
{
	return sd_textfile_read(l->root, path, text, size);
}

static enum sd_status status_of(int error)
{
	return error == -EACCES || error == -EPERM ? SD_STATUS_DENIED : SD_STATUS_UNSUPPORTED;
}

/* ---- counters ---- */

static void look_pmu(const struct look *l, struct sd_fact *f)
{
	sd_pmu_status_explain(f, l->source);
}

static void look_counters(const struct look *l, struct sd_fact *f)
{
	const enum sd_status pmu = l->out->fact[SD_FACT_PMU].status;

	if (pmu == SD_STATUS_OK)
		say(f, SD_STATUS_OK, "", "%u of one kind count at once", sd_pmu_status_counters());
	else
		say(f, pmu, "", "no hardware counters");
}

static void look_watchdog(const struct look *l, struct sd_fact *f)
{
	char text[16];

	if (read_text(l, "/proc/sys/kernel/nmi_watchdog", text, sizeof text))
		say(f, SD_STATUS_OK, "", "none: holds no counter");
	else if (strcmp(text, "0") == 0)
		say(f, SD_STATUS_OK, "", "off: holds no counter");
	else
		say(f, SD_STATUS_OK, "sysctl kernel.nmi_watchdog=0",
			"on: holds one counter of each CPU");
}

/* A counter of the kernel's own clock, on a CPU instead of a process. */
static void look_system_wide(const struct look *l, struct sd_fact *f)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.read_format = SD_COUNTER_READ_FORMAT};
	const int fd = sd_perf_event_open(&attr, -1, 0);

	(void)l;
	sd_perf_event_close(fd);
	if (fd >= 0)
		say(f, SD_STATUS_OK, "", "allowed: events of cores and sockets can be counted");
	else if (status_of(fd) == SD_STATUS_DENIED)
		say(f, SD_STATUS_DENIED,
			"sysctl kernel.perf_event_paranoid=0, or the capability CAP_PERFMON",
			"forbidden to this user");
	else
		say(f, SD_STATUS_UNSUPPORTED, "", "not possible: %s", strerror(-fd));
}

static void look_uncore(const struct look *l, struct sd_fact *f)
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
		say(f, SD_STATUS_UNSUPPORTED, "", "none");
	else if (l->out->fact[SD_FACT_SYSTEM_WIDE].status == SD_STATUS_OK)
		say(f, SD_STATUS_OK, "", "%u PMUs: memory controllers, links and caches", n);
	else
		say(f, SD_STATUS_DENIED, l->out->fact[SD_FACT_SYSTEM_WIDE].enable,
			"%u PMUs, which only count whole CPUs", n);
}

static void look_memory(const struct look *l, struct sd_fact *f)
{
	const enum sd_status pmu = l->out->fact[SD_FACT_PMU].status;
	struct sd_memsource *source = NULL;
	char why[160] = "no hardware counters";
	int rc = -ENODEV;

	if (pmu == SD_STATUS_OK)
		rc = sd_access_source_open(&source, l->root, l->source->maps, why, sizeof why);
	if (!rc)
		say(f, SD_STATUS_OK, "", "%s: with addresses and who answered",
			sd_access_source_name(source));
	else if (rc == -EACCES)
		say(f, SD_STATUS_DENIED,
			"sysctl kernel.perf_event_paranoid=1, or the capability CAP_PERFMON", "%s",
			why);
	else
		say(f, pmu == SD_STATUS_OK ? SD_STATUS_UNSUPPORTED : pmu, "", "%s", why);
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

static void look_tsc(const struct look *l, struct sd_fact *f)
{
	struct sd_pmuboxes msr = {0};
	int rc = sd_uncore_pmus_read(&msr, "msr", l->root);

	if (!rc)
		rc = open_self(msr.box[0].type, 0, 0);
	sd_uncore_pmus_free(&msr);
	if (!rc)
		say(f, SD_STATUS_OK, "", "msr/tsc/ counts");
	else if (status_of(rc) == SD_STATUS_DENIED)
		say(f, SD_STATUS_DENIED,
			"sysctl kernel.perf_event_paranoid=1, or the capability CAP_PERFMON",
			"msr/tsc/ is forbidden to this user: CPU time times the clock's rate stands in");
	else
		say(f, SD_STATUS_UNSUPPORTED, "",
			"no msr/tsc/: CPU time times the clock's rate stands in");
}

static void look_task_clock(const struct look *l, struct sd_fact *f)
{
	const int rc = open_self(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1);

	(void)l;
	if (!rc)
		say(f, SD_STATUS_OK, "", "counts, children nobody waits for included");
	else
		say(f, status_of(rc), "sysctl kernel.perf_event_paranoid=2",
			"%s: the kernel's accounting of finished processes stands in",
			strerror(-rc));
}

/* ---- /proc, /sys and control groups ---- */

/* A file of a process below us, as the program under test will be. */
static int read_child(const struct look *l, const char *file, char *text, size_t size)
{
	char path[64];

	if (l->child > 0)
		snprintf(path, sizeof path, "/proc/%d/%s", (int)l->child, file);
	else
		snprintf(path, sizeof path, "/proc/self/%s", file);
	return read_text(l, path, text, size);
}

static void look_schedstat(const struct look *l, struct sd_fact *f)
{
	char text[128];
	const int rc = read_child(l, "schedstat", text, sizeof text);

	if (!rc && strcmp(text, "0 0 0") != 0)
		say(f, SD_STATUS_OK, "", "/proc/PID/schedstat counts");
	else if (!rc)
		say(f, SD_STATUS_ABSENT, "a kernel with CONFIG_SCHED_INFO",
			"/proc/PID/schedstat stays at 0");
	else
		say(f, status_of(rc), "a kernel with CONFIG_SCHED_INFO", "/proc/PID/schedstat: %s",
			strerror(-rc));
}

static void look_syscall(const struct look *l, struct sd_fact *f)
{
	char text[256];
	const int rc = read_child(l, "syscall", text, sizeof text);

	if (!rc)
		say(f, SD_STATUS_OK, "", "/proc/PID/syscall can be read");
	else if (status_of(rc) == SD_STATUS_DENIED)
		say(f, SD_STATUS_DENIED,
			"sysctl kernel.yama.ptrace_scope=1; in a container: --cap-add SYS_PTRACE",
			"/proc/PID/syscall is forbidden: waits cannot be told apart");
	else
		say(f, SD_STATUS_UNSUPPORTED, "a kernel with CONFIG_HAVE_ARCH_TRACEHOOK",
			"no /proc/PID/syscall: waits cannot be told apart");
}

static void look_psi(const struct look *l, struct sd_fact *f)
{
	char text[256];
	const int rc = read_text(l, "/proc/pressure/cpu", text, sizeof text);

	if (!rc)
		say(f, SD_STATUS_OK, "", "/proc/pressure can be read");
	else if (status_of(rc) == SD_STATUS_DENIED)
		say(f, SD_STATUS_DENIED, "", "/proc/pressure is forbidden");
	else
		say(f, SD_STATUS_ABSENT, "boot with psi=1", "no /proc/pressure");
}

static void look_delayacct(const struct look *l, struct sd_fact *f)
{
	char text[16];

	if (read_text(l, "/proc/sys/kernel/task_delayacct", text, sizeof text))
		say(f, SD_STATUS_UNSUPPORTED, "a kernel with CONFIG_TASK_DELAY_ACCT",
			"not in this kernel: waits for the disk are seen by thread states only");
	else if (strcmp(text, "0") == 0)
		say(f, SD_STATUS_ABSENT, "sysctl kernel.task_delayacct=1",
			"off: waits for the disk are seen by thread states only");
	else
		say(f, SD_STATUS_OK, "", "on");
}

static void look_quota(const struct look *l, struct sd_fact *f)
{
	const struct sd_value v = sd_cgroup_quota(l->root, 0);

	if (v.status == SD_STATUS_OK)
		say(f, SD_STATUS_OK, "", "%.2f CPUs, of the control group", v.value);
	else if (v.status == SD_STATUS_ABSENT)
		say(f, SD_STATUS_OK, "", "none is set");
	else
		say(f, v.status, "", "the control group's files cannot be read");
}

static void look_cpuset(const struct look *l, struct sd_fact *f)
{
	unsigned first = 0;
	const struct sd_cpulist one = {.cpu = &first, .n = 1};
	struct sd_private_cgroup hold = {0};
	char text[4096];
	struct sd_cpulist mine = {0};
	int rc;

	if (*l->root) { /* of another tree nothing can be made */
		say(f, SD_STATUS_ABSENT, "", "not tried");
		return;
	}
	if (!read_text(l, "/sys/devices/system/cpu/online", text, sizeof text) &&
		!sd_cpulist_parse(text, &mine) && mine.n)
		first = mine.cpu[0];
	rc = sd_private_cgroup_cpuset(&hold, &one);
	sd_private_cgroup_close(&hold);
	sd_cpulist_free(&mine);
	if (!rc)
		say(f, SD_STATUS_OK, "", "a cpuset control group can be made");
	else if (rc == -ENOTSUP)
		say(f, SD_STATUS_UNSUPPORTED,
			"echo +cpuset > /sys/fs/cgroup/.../cgroup.subtree_control, or systemd-run "
			"--user -p Delegate=yes",
			"no cpuset controller here: programs that set their own affinity are told");
	else
		say(f, status_of(rc), "run as root, or in a delegated control group",
			"%s: programs that set their own affinity are told", strerror(-rc));
}

static void look_huge_pages(const struct look *l, struct sd_fact *f)
{
	static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
	char text[64];

	if (read_text(l, path, text, sizeof text))
		say(f, SD_STATUS_UNSUPPORTED, "a kernel with CONFIG_TRANSPARENT_HUGEPAGE",
			"no transparent huge pages");
	else if (strstr(text, "[never]"))
		say(f, SD_STATUS_ABSENT,
			"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
			"transparent huge pages are off");
	else
		say(f, SD_STATUS_OK, "", "transparent: %s",
			strstr(text, "[always]") ? "always" : "where a program asks (madvise)");
}

/* In this order: `counters` reads what `pmu` found, `uncore` what `system-wide` did. */
static void look_mpi(const struct look *l, struct sd_fact *f)
{
	const char *const path = getenv("PATH");
	char found[200];

	if (sd_mpi_launchers_find(l->root, path ? path : "", found, sizeof found))
		say(f, SD_STATUS_OK, "", "%s: ranks' waits are divided, see scalediag help mpi",
			found);
	else
		say(f, SD_STATUS_ABSENT, "", "no mpirun, mpiexec or srun in PATH");
}

static void (*const looks[SD_FACT_COUNT])(const struct look *, struct sd_fact *) = {
	[SD_FACT_PMU] = look_pmu,
	[SD_FACT_COUNTERS] = look_counters,
	[SD_FACT_WATCHDOG] = look_watchdog,
	[SD_FACT_SYSTEM_WIDE] = look_system_wide,
	[SD_FACT_UNCORE] = look_uncore,
	[SD_FACT_MEMORY] = look_memory,
	[SD_FACT_TSC] = look_tsc,
	[SD_FACT_TASK_CLOCK] = look_task_clock,
	[SD_FACT_SCHEDSTAT] = look_schedstat,
	[SD_FACT_SYSCALL] = look_syscall,
	[SD_FACT_PSI] = look_psi,
	[SD_FACT_DELAYACCT] = look_delayacct,
	[SD_FACT_QUOTA] = look_quota,
	[SD_FACT_CPUSET] = look_cpuset,
	[SD_FACT_HUGE_PAGES] = look_huge_pages,
	[SD_FACT_MPI] = look_mpi,
};

/* ---- a child to look at ---- */

static pid_t start_child(void)
{
	const pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	/* it has run once, so that the kernel has something to tell */
	if (pid > 0)
		usleep(2000);
	return pid;
}

static void end_child(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- roles ---- */

static int look_roles(
	struct sd_doctor *out, const struct sd_doctor_source *source, const struct sd_sink *sink)
{
	enum sd_role all[SD_ROLE_COUNT];
	const struct sd_counter_plan_ask ask = {.role = all,
		.n_role = SD_ROLE_SAMPLE_LOAD, /* those after it are for samples */
		.most = 1,
		.root = source->root,
		.maps = source->maps};
	struct sd_counting *c = NULL;
	int rc;

	for (int i = 0; i < SD_ROLE_COUNT; i++) {
		all[i] = (enum sd_role)i;
		out->role[i].role = (enum sd_role)i;
		out->role[i].value = SD_NOT(UNSUPPORTED);
	}
	rc = sd_counter_plan_open(&c, &ask, NULL);
	if (rc && rc != -ENODEV && rc != -EACCES && rc != -EBUSY && rc != -ENOMEM)
		return sd_counter_plan_open(&c, &ask, sink); /* a broken map: said this time */
	if (rc == -EACCES)
		for (int i = 0; i < SD_ROLE_COUNT; i++)
			out->role[i].value = SD_NOT(DENIED);
	if (rc)
		return rc == -ENOMEM ? rc : 0; /* no PMU is no error */
	snprintf(out->family, sizeof out->family, "%s", sd_counter_plan_source(c));
	for (int i = 0; i < SD_ROLE_COUNT; i++)
		sd_counter_plan_role(c, (enum sd_role)i, &out->role[i]);
	sd_counter_plan_free(c);
	return 0;
}

int sd_doctor_look(
	struct sd_doctor *out, const struct sd_doctor_source *source, const struct sd_sink *sink)
{
	struct look l = {.source = source,
		.root = source->root ? source->root : "",
		.out = out,
		.child = -1};

	*out = (struct sd_doctor){0};
	if (!*l.root)
		l.child = start_child();
	for (int i = 0; i < SD_FACT_COUNT; i++)
		looks[i](&l, &out->fact[i]);
	end_child(l.child);
	return look_roles(out, source, sink);
}
