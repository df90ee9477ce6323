#include "attach/attached.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/named_group.h"
#include "base/number.h"
#include "base/one_more.h"
#include "cgroup/cgroup.h"
#include "launch/command_words.h"
#include "launch/descendants.h"
#include "proc/proc_parse.h"
#include "proc/task_ids.h"
#include "proc/textfile.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h; a flag of /proc/PID/stat */
#define CHILDREN 1024         /* of one process */
#define COMMAND 65536         /* bytes of a command line that are shown */

/* As options name it. */
static const char *const by_name[SD_ATTACH_COUNT] = {[SD_ATTACH_PID] = "PID",
	[SD_ATTACH_CGROUP] = "--cgroup",
	[SD_ATTACH_UNIT] = "--systemd-unit",
	[SD_ATTACH_CONTAINER] = "--container"};

static int stat_of(pid_t pid, struct sd_proc_stat *out)
{
	char path[64], text[1024];

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	return sd_textfile_read(NULL, path, text, sizeof text) || sd_proc_parse_stat(text, out)
		       ? -ESRCH
		       : 0;
}

/* ---- which processes ---- */

static int add(struct sd_attached *a, pid_t pid)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->pid[i] == pid)
			return 0;
	return SD_APPEND(a->pid, a->n, &pid);
}

static int add_each(void *ctx, pid_t pid)
{
	return add(ctx, pid);
}

/* Parents before their children, whose list grows meanwhile. */
static int add_descendants(struct sd_attached *a)
{
	pid_t *const child = malloc(CHILDREN * sizeof *child);
	int rc = child ? 0 : -ENOMEM;

	for (size_t i = 0; i < a->n && !rc; i++) {
		const size_t n = sd_descendants_children(a->pid[i], child, CHILDREN);

		for (size_t k = 0; k < n && !rc; k++)
			rc = add(a, child[k]);
	}
	free(child);
	return rc;
}

static int is_itself(const struct sd_attached *a)
{
	struct sd_proc_stat stat;

	return stat_of(a->root, &stat) == 0 && stat.start == a->born && stat.state != 'Z' &&
	       stat.state != 'X';
}

int sd_attached_refresh(struct sd_attached *a)
{
	struct sd_attached fresh = {.root = a->root};
	int rc = 0;

	if (a->group)
		rc = sd_named_group_each(a->group, add_each, &fresh);
	else if (is_itself(a))
		rc = add(&fresh, a->root);
	if (!rc && !a->group)
		rc = add_descendants(&fresh);
	if (!rc && !fresh.n)
		rc = -ESRCH;
	if (rc) {
		free(fresh.pid);
		return rc == -ENOMEM ? rc : -ESRCH;
	}
	free(a->pid);
	a->pid = fresh.pid;
	a->n = fresh.n;
	return 0;
}

/* ---- by which name ---- */

static int find_process(struct sd_attached *a, const char *name, const struct sd_sink *sink)
{
	struct sd_proc_stat stat;
	uint64_t pid;

	if (sd_number_u64(name, 1, INT32_MAX, &pid)) {
		sd_say(sink, SD_LEVEL_ERROR, "'%s': not the number of a process", name);
		return -EINVAL;
	}
	if (stat_of((pid_t)pid, &stat)) {
		sd_say(sink, SD_LEVEL_ERROR, "there is no process %s", name);
		return -ESRCH;
	}
	if (stat.flags & PF_KTHREAD) {
		sd_say(sink, SD_LEVEL_ERROR, "process %s (%s) is the kernel's own", name,
			stat.comm);
		return -EPERM;
	}
	a->root = (pid_t)pid;
	a->born = stat.start;
	snprintf(a->label, sizeof a->label, "process %s", name);
	return 0;
}

static int find_group(struct sd_attached *a, const char *name, const struct sd_sink *sink)
{
	static const char *const called[] = {[SD_ATTACH_CGROUP] = "cgroup",
		[SD_ATTACH_UNIT] = "unit",
		[SD_ATTACH_CONTAINER] = "container"};
	static const enum sd_named_group_kind kind[] = {[SD_ATTACH_CGROUP] = SD_NAMED_GROUP_PATH,
		[SD_ATTACH_UNIT] = SD_NAMED_GROUP_UNIT,
		[SD_ATTACH_CONTAINER] = SD_NAMED_GROUP_CONTAINER};
	const int rc = sd_named_group_find(NULL, kind[a->by], name, &a->group);

	snprintf(a->label, sizeof a->label, "%s %.280s", called[a->by], name);
	if (rc == -EINVAL)
		sd_say(sink, SD_LEVEL_ERROR, "%s: '%s' cannot be one", by_name[a->by], name);
	else if (rc == -EEXIST)
		sd_say(sink, SD_LEVEL_ERROR, "%s: more than one begins with '%s': give more digits",
			by_name[a->by], name);
	else if (rc && rc != -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "there is no %s of a running program%s", a->label,
			a->by == SD_ATTACH_CONTAINER ? " (its id, not its name: docker ps)" : "");
	return rc == -EEXIST ? -EINVAL : rc && rc != -EINVAL && rc != -ENOMEM ? -ESRCH : rc;
}

static int holds_us(const struct sd_attached *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->pid[i] == getpid())
			return 1;
	return 0;
}

int sd_attached_find(
	struct sd_attached *a, enum sd_attach_by by, const char *name, const struct sd_sink *sink)
{
	int rc;

	*a = (struct sd_attached){.by = by};
	rc = by == SD_ATTACH_PID ? find_process(a, name, sink) : find_group(a, name, sink);
	if (rc)
		return rc;
	rc = sd_attached_refresh(a);
	if (rc == -ESRCH) {
		sd_say(sink, SD_LEVEL_ERROR, "%s %s", a->label,
			by == SD_ATTACH_PID ? "has ended" : "has no process");
	} else if (!rc && holds_us(a)) {
		sd_say(sink, SD_LEVEL_ERROR,
			"scalediag is itself a part of %s, and would look at itself: start it from "
			"elsewhere",
			a->label);
		rc = -EPERM;
	}
	return rc;
}

/* ---- its threads ---- */

static int add_cpus(pid_t tid, cpu_set_t *all, size_t size, cpu_set_t *one)
{
	if (sched_getaffinity(tid, size, one))
		return 0;
	CPU_OR_S(size, all, all, one);
	return 1;
}

int sd_attached_cpus(const struct sd_attached *a, struct sd_cpulist *cpus, size_t *threads)
{
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	cpu_set_t *const all = CPU_ALLOC(SD_CPU_MAX), *const one = CPU_ALLOC(SD_CPU_MAX);
	int rc = all && one ? 0 : -ENOMEM;
	size_t asked = 0;

	*cpus = (struct sd_cpulist){0};
	*threads = 0;
	if (!rc)
		CPU_ZERO_S(size, all);
	for (size_t i = 0; i < a->n && !rc; i++) {
		struct sd_task_ids ids = {0};

		if (sd_task_ids_add(&ids, "", a->pid[i]) == -ENOMEM)
			rc = -ENOMEM;
		*threads += ids.n;
		for (size_t k = 0; k < ids.n; k++)
			asked += (size_t)add_cpus(ids.tid[k], all, size, one);
		sd_task_ids_free(&ids);
	}
	for (unsigned cpu = 0; cpu < SD_CPU_MAX && !rc; cpu++)
		if (CPU_ISSET_S(cpu, size, all))
			rc = sd_cpulist_add(cpus, cpu);
	CPU_FREE(all);
	CPU_FREE(one);
	if (!rc && !asked)
		rc = -ESRCH;
	if (rc)
		sd_cpulist_free(cpus);
	return rc;
}

struct sd_value sd_attached_quota(const struct sd_attached *a)
{
	return sd_cgroup_quota(NULL, a->pid[0]);
}

/* The words of a command line, each ended by a NUL; a process may have cleared or rewritten its
 * own, which is then one word or none. */
static char **split(char *text, size_t n)
{
	char **words = NULL;
	size_t count = 0;

	for (size_t at = 0; at < n; at += strlen(text + at) + 1) {
		char **const grown = reallocarray(words, count + 2, sizeof *grown);

		if (grown)
			words = grown;
		if (!grown || !(words[count] = strdup(text + at))) {
			sd_command_words_free(words);
			return NULL;
		}
		words[++count] = NULL;
	}
	return words;
}

/* Servers write a sentence over their arguments ("nginx: master process nginx -c ..."): one word.
 */
static int is_title(const char *text, size_t n)
{
	return memchr(text, ' ', n) && !memchr(text, '\0', n) && access(text, F_OK) != 0;
}

char **sd_attached_argv(const struct sd_attached *a)
{
	char path[64], *const text = calloc(1, COMMAND + 1), **words = NULL;
	struct sd_proc_stat stat;
	size_t n = 0;
	FILE *f;

	if (!text)
		return NULL;
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)a->pid[0]);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, COMMAND, f);
		fclose(f);
	}
	while (n && !text[n - 1])
		n--;
	if (!n)
		n = (size_t)snprintf(
			text, COMMAND, "[%s]", stat_of(a->pid[0], &stat) ? "?" : stat.comm);
	else if (is_title(text, n) && stat_of(a->pid[0], &stat) == 0)
		n = (size_t)snprintf(text, COMMAND, "%s", stat.comm);
	words = split(text, n);
	free(text);
	return words;
}

void sd_attached_free(struct sd_attached *a)
{
	free(a->group);
	free(a->pid);
	*a = (struct sd_attached){0};
}
