#include "probe/doctor.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/child_end.h"
#include "cgroup/cgroup.h"
#include "machine/private_cgroup.h"
#include "probe/counter_plan.h"
#include "probes/doctor_look.h"
#include "proc/textfile.h"

static const char *const launchers[] = {
	"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "srun"};

/* By what the launcher's name leads to. */
static const struct {
	const char *word, *whose;
} known[] = {{"orterun", "Open MPI"}, {"prterun", "Open MPI"}, {"openmpi", "Open MPI"},
	{"hydra", "MPICH"}, {"mpich", "MPICH"}, {"srun", "Slurm"}, {"intel", "Intel MPI"}};

static const char *whose(const char *path)
{
	char *const real = realpath(path, NULL);
	const char *out = "unknown";

	for (size_t i = sizeof known / sizeof *known; real && i > 0; i--)
		if (strstr(real, known[i - 1].word))
			out = known[i - 1].whose;
	free(real);
	return out;
}

/* The first folder of the path that has it; 0: none has. */
static int find(const char *root, const char *path, const char *name, char *out, size_t size)
{
	while (*path) {
		const size_t n = strcspn(path, ":");

		if (n && snprintf(out, size, "%s%.*s/%s", root, (int)n, path, name) < (int)size &&
			access(out, X_OK) == 0)
			return 1;
		path += n + (path[n] == ':');
	}
	return 0;
}

/* "mpirun (Open MPI), mpirun.mpich (MPICH), srun (Slurm)" into `out`; "" none. `root` is a prefix
 * of the folders. Returns how many. */
static unsigned find_launchers(const char *root, const char *path, char *out, size_t size)
{
	unsigned found = 0;
	char file[PATH_MAX];

	*out = '\0';
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		const size_t n = strlen(out);

		if (!find(root, path, launchers[i], file, sizeof file))
			continue;
		snprintf(out + n, size - n, "%s%s (%s)", n ? ", " : "", launchers[i], whose(file));
		found++;
	}
	return found;
}

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

/* ---- /proc, /sys and control groups ---- */

/* A file of a process below us, as the program under test will be. */
static int read_child(const struct sd_doctor_look *l, const char *file, char *text, size_t size)
{
	char path[64];

	if (l->child > 0)
		snprintf(path, sizeof path, "/proc/%d/%s", (int)l->child, file);
	else
		snprintf(path, sizeof path, "/proc/self/%s", file);
	return sd_textfile_read(l->root, path, text, size);
}

static void look_schedstat(const struct sd_doctor_look *l, struct sd_fact *f)
{
	char text[128];
	const int rc = read_child(l, "schedstat", text, sizeof text);

	if (!rc && strcmp(text, "0 0 0") != 0)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "available (/proc/PID/schedstat)");
	else if (!rc)
		sd_doctor_look_say(f, SD_STATUS_ABSENT, "a kernel with CONFIG_SCHED_INFO",
			"/proc/PID/schedstat stays at 0");
	else
		sd_doctor_look_say(f, sd_doctor_look_status(rc), "a kernel with CONFIG_SCHED_INFO",
			"/proc/PID/schedstat: %s", strerror(-rc));
}

static void look_syscall(const struct sd_doctor_look *l, struct sd_fact *f)
{
	char text[256];
	const int rc = read_child(l, "syscall", text, sizeof text);

	if (!rc)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "available (/proc/PID/syscall)");
	else if (sd_doctor_look_status(rc) == SD_STATUS_DENIED)
		sd_doctor_look_say(f, SD_STATUS_DENIED,
			"sysctl kernel.yama.ptrace_scope=1; in a container: --cap-add SYS_PTRACE",
			"/proc/PID/syscall is forbidden: waits cannot be told apart");
	else
		sd_doctor_look_say(f, SD_STATUS_UNSUPPORTED,
			"a kernel with CONFIG_HAVE_ARCH_TRACEHOOK",
			"no /proc/PID/syscall: waits cannot be told apart");
}

static void look_psi(const struct sd_doctor_look *l, struct sd_fact *f)
{
	char text[256];
	const int rc = sd_textfile_read(l->root, "/proc/pressure/cpu", text, sizeof text);

	if (!rc)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "available (/proc/pressure)");
	else if (sd_doctor_look_status(rc) == SD_STATUS_DENIED)
		sd_doctor_look_say(f, SD_STATUS_DENIED, "", "/proc/pressure is forbidden");
	else
		sd_doctor_look_say(f, SD_STATUS_ABSENT, "boot with psi=1", "no /proc/pressure");
}

static void look_delayacct(const struct sd_doctor_look *l, struct sd_fact *f)
{
	char text[16];

	if (sd_textfile_read(l->root, "/proc/sys/kernel/task_delayacct", text, sizeof text))
		sd_doctor_look_say(f, SD_STATUS_UNSUPPORTED, "a kernel with CONFIG_TASK_DELAY_ACCT",
			"not in this kernel: disk waits are taken from thread states");
	else if (strcmp(text, "0") == 0)
		sd_doctor_look_say(f, SD_STATUS_ABSENT, "sysctl kernel.task_delayacct=1",
			"off: disk waits are taken from thread states");
	else
		sd_doctor_look_say(f, SD_STATUS_OK, "", "on");
}

static void look_quota(const struct sd_doctor_look *l, struct sd_fact *f)
{
	const struct sd_value v = sd_cgroup_quota(l->root, 0);

	if (v.status == SD_STATUS_OK)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "%.2f CPUs, of the control group", v.value);
	else if (v.status == SD_STATUS_ABSENT)
		sd_doctor_look_say(f, SD_STATUS_OK, "", "none");
	else
		sd_doctor_look_say(f, v.status, "", "the control group's files cannot be read");
}

static void look_cpuset(const struct sd_doctor_look *l, struct sd_fact *f)
{
	unsigned first = 0;
	const struct sd_cpulist one = {.cpu = &first, .n = 1};
	struct sd_private_cgroup hold = {0};
	char text[4096];
	struct sd_cpulist mine = {0};
	int rc;

	if (*l->root) { /* of another tree nothing can be made */
		sd_doctor_look_say(f, SD_STATUS_ABSENT, "", "not tried");
		return;
	}
	if (!sd_textfile_read(l->root, "/sys/devices/system/cpu/online", text, sizeof text) &&
		!sd_cpulist_parse(text, &mine) && mine.n)
		first = mine.cpu[0];
	rc = sd_private_cgroup_cpuset(&hold, &one);
	sd_private_cgroup_close(&hold);
	sd_cpulist_free(&mine);
	if (!rc)
		sd_doctor_look_say(f, SD_STATUS_OK, "",
			"available: programs that set their own affinity are kept on their CPUs");
	else if (rc == -ENOTSUP)
		sd_doctor_look_say(f, SD_STATUS_UNSUPPORTED,
			"echo +cpuset > /sys/fs/cgroup/.../cgroup.subtree_control, or systemd-run "
			"--user -p Delegate=yes",
			"no cpuset controller here: programs that set their own affinity are told");
	else
		sd_doctor_look_say(f, sd_doctor_look_status(rc),
			"run as root, or in a delegated control group",
			"%s: programs that set their own affinity are told", strerror(-rc));
}

static void look_huge_pages(const struct sd_doctor_look *l, struct sd_fact *f)
{
	static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
	char text[64];

	if (sd_textfile_read(l->root, path, text, sizeof text))
		sd_doctor_look_say(f, SD_STATUS_UNSUPPORTED,
			"a kernel with CONFIG_TRANSPARENT_HUGEPAGE", "no transparent huge pages");
	else if (strstr(text, "[never]"))
		sd_doctor_look_say(f, SD_STATUS_ABSENT,
			"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
			"transparent huge pages are off");
	else
		sd_doctor_look_say(f, SD_STATUS_OK, "", "transparent, %s",
			strstr(text, "[always]") ? "always" : "on request (madvise)");
}

static void look_mpi(const struct sd_doctor_look *l, struct sd_fact *f)
{
	const char *const path = getenv("PATH");
	char found[200];

	if (find_launchers(l->root, path ? path : "", found, sizeof found))
		sd_doctor_look_say(f, SD_STATUS_OK, "", "%s; see scalediag help mpi", found);
	else
		sd_doctor_look_say(f, SD_STATUS_ABSENT, "", "no mpirun, mpiexec or srun in PATH");
}

/* Facts about each language's programs, whether it is installed or not: what they tell, and what
 * names the functions that the runtime compiles or interprets. */
static const struct {
	enum sd_status status;
	const char *tells, *enable;
} runtimes[] = {
	[0] = {SD_STATUS_OK, /* SD_FACT_JAVA */
		"monitors, parking, safepoints and collection; functions by /tmp/perf-PID.map",
		"java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (JDK 17 and later) "
		"names functions"},
	[SD_FACT_GO - SD_FACT_JAVA] = {SD_STATUS_OK,
		"functions, mutexes, channels and the scheduler of programs with symbols",
		"go build without -ldflags=-s"},
	[SD_FACT_PYTHON - SD_FACT_JAVA] = {SD_STATUS_OK,
		"the interpreter's lock; functions from 3.12 on, before that the interpreter's",
		"python3 -X perf (3.12 and later) names functions"},
	[SD_FACT_NODE - SD_FACT_JAVA] = {SD_STATUS_OK,
		"waits of worker threads; functions by /tmp/perf-PID.map",
		"node --perf-basic-prof names functions"},
	[SD_FACT_DOTNET - SD_FACT_JAVA] = {SD_STATUS_UNSUPPORTED,
		"not tried: waits are those of the runtime's own code",
		"DOTNET_PerfMapEnabled=1 writes names of functions, which are read"},
};

static void look_runtime(const struct sd_doctor_look *l, struct sd_fact *f)
{
	const size_t i = (size_t)(f - &l->out->fact[SD_FACT_JAVA]);

	sd_doctor_look_say(f, runtimes[i].status, runtimes[i].enable, "%s", runtimes[i].tells);
}

/* In this order: `counters` reads what `pmu` found, `uncore` what `system-wide` did. */
static void (*const looks[SD_FACT_COUNT])(const struct sd_doctor_look *, struct sd_fact *) = {
	[SD_FACT_PMU] = sd_doctor_look_pmu,
	[SD_FACT_COUNTERS] = sd_doctor_look_counters,
	[SD_FACT_WATCHDOG] = sd_doctor_look_watchdog,
	[SD_FACT_SYSTEM_WIDE] = sd_doctor_look_system_wide,
	[SD_FACT_UNCORE] = sd_doctor_look_uncore,
	[SD_FACT_MEMORY] = sd_doctor_look_memory,
	[SD_FACT_NATIVE] = sd_doctor_look_native,
	[SD_FACT_TSC] = sd_doctor_look_tsc,
	[SD_FACT_TASK_CLOCK] = sd_doctor_look_task_clock,
	[SD_FACT_SCHEDSTAT] = look_schedstat,
	[SD_FACT_SYSCALL] = look_syscall,
	[SD_FACT_SWITCHES] = sd_doctor_look_switches,
	[SD_FACT_PSI] = look_psi,
	[SD_FACT_DELAYACCT] = look_delayacct,
	[SD_FACT_QUOTA] = look_quota,
	[SD_FACT_CPUSET] = look_cpuset,
	[SD_FACT_HUGE_PAGES] = look_huge_pages,
	[SD_FACT_MPI] = look_mpi,
	[SD_FACT_JAVA] = look_runtime,
	[SD_FACT_GO] = look_runtime,
	[SD_FACT_PYTHON] = look_runtime,
	[SD_FACT_NODE] = look_runtime,
	[SD_FACT_DOTNET] = look_runtime,
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
	(void)sd_child_end_await(pid, SD_CHILD_END_S, NULL);
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
	struct sd_doctor_look l = {.source = source,
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
