#include "machine/private_cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "cgroup/cgroup.h"
#include "base/clock.h"
#include "base/number.h"
#include "proc/textfile.h"

/*
 * A cgroup's name: PREFIX, PID namespace, process, its start time in clock ticks, a moment in ns.
 * The start time tells a process from a later one with the same number; the namespace says whether
 * the number means anything here.
 */
#define PREFIX "scalediag-"
#define NAME_NUMBERS 4

/* The kernel keeps a dying process in its cgroup for a moment: tries to remove, and ms between. */
#define REMOVE_TRIES 50
#define REMOVE_PAUSE_NS 1000000L

/* File names by version. */
static const struct {
	const char *mems_from, *effective;
} files[] = {
	[1] = {"cpuset.effective_mems", "cpuset.effective_cpus"},
	[2] = {NULL, "cpuset.cpus.effective"}, /* memory nodes are inherited */
};

static int write_file(const char *folder, const char *file, const char *text)
{
	const size_t n = strlen(text);
	char path[SD_CGROUP_PATH + 64];
	int fd, rc = 0;

	if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
		return -ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* one write is one command to the kernel: no loop */
	if (write(fd, text, n) != (ssize_t)n)
		rc = errno ? -errno : -EIO;
	close(fd);
	return rc;
}

static int write_pid(const char *folder, uint64_t pid)
{
	char text[32];

	snprintf(text, sizeof text, "%llu", (unsigned long long)pid);
	return write_file(folder, "cgroup.procs", text);
}

/* Start time of a process (proc(5), /proc/PID/stat, field 22); 0 = there is no such process. */
static uint64_t start_of(uint64_t pid)
{
	char path[64], text[1024], *rest = NULL, *word;
	uint64_t start = 0;

	snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
	if (sd_textfile_read(NULL, path, text, sizeof text))
		return 0;
	/* the name, field 2, may hold blanks and brackets */
	word = strrchr(text, ')');
	if (!word)
		return 0;
	word = strtok_r(word + 1, " ", &rest);
	for (int field = 3; field < 22 && word; field++)
		word = strtok_r(NULL, " ", &rest);
	return sd_number_u64(word, 1, UINT64_MAX, &start) ? 0 : start;
}

static uint64_t pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}

/* 0 and the numbers of a name of ours, or -EINVAL. */
static int parse_name(const char *name, uint64_t number[NAME_NUMBERS])
{
	char text[NAME_MAX + 1], *rest = NULL, *word;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return -EINVAL;
	snprintf(text, sizeof text, "%s", name + strlen(PREFIX));
	word = strtok_r(text, "-", &rest);
	for (int i = 0; i < NAME_NUMBERS; i++) {
		if (sd_number_u64(word, 0, UINT64_MAX, &number[i]))
			return -EINVAL;
		word = strtok_r(NULL, "-", &rest);
	}
	return word || number[1] == 0 || number[1] > INT32_MAX ? -EINVAL : 0;
}

/* Does the process that made a cgroup still live? Where /proc hides it from us, kill(2)
 * does not. */
static int is_alive(const uint64_t number[NAME_NUMBERS])
{
	const uint64_t start = start_of(number[1]);

	if (start)
		return start == number[2];
	return kill((pid_t)number[1], 0) == 0 || errno == EPERM;
}

/* Sends what is still in a cgroup back to the parent; a process that has ended meanwhile
 * is gone. */
static void empty(const char *folder, const char *parent)
{
	char path[SD_CGROUP_PATH + 64], *line = NULL;
	size_t room = 0;
	uint64_t pid;
	FILE *f;

	snprintf(path, sizeof path, "%s/cgroup.procs", folder);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!sd_number_u64(line, 1, INT32_MAX, &pid))
			(void)write_pid(parent, pid);
	}
	free(line);
	fclose(f);
}

static void sweep(const char *folder);

/* 0 or -errno. */
static int remove_group(const char *folder)
{
	const struct timespec pause = {.tv_nsec = REMOVE_PAUSE_NS};
	char parent[SD_CGROUP_PATH];
	int rc = 0;

	snprintf(parent, sizeof parent, "%s", folder);
	*strrchr(parent, '/') = '\0';
	for (int i = 0; i < REMOVE_TRIES; i++) {
		rc = rmdir(folder) && errno != ENOENT ? -errno : 0;
		if (rc != -EBUSY)
			break;
		empty(folder, parent);
		/* a scalediag that ran inside has left its own */
		sweep(folder);
		nanosleep(&pause, NULL);
	}
	return rc;
}

/* Removes the cgroups below `folder` whose scalediag is no more. */
static void sweep(const char *folder)
{
	const uint64_t space = pid_namespace();
	DIR *d = opendir(folder);
	const struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)) != NULL) {
		char path[SD_CGROUP_PATH];
		uint64_t number[NAME_NUMBERS];

		if (parse_name(e->d_name, number) || number[0] != space || is_alive(number))
			continue;
		if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path)
			(void)remove_group(path);
	}
	closedir(d);
}

/* The controller is given to children of this cgroup already. */
static int enabled_for_children(const struct sd_cgroup *cg, const char *controller)
{
	char text[256], *rest = NULL;

	if (sd_cgroup_read(cg, "cgroup.subtree_control", text, sizeof text))
		return 0;
	for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		if (strcmp(w, controller) == 0)
			return 1;
	return 0;
}

static int make_folder(struct sd_private_cgroup *h, const struct sd_cgroup *parent)
{
	const uint64_t pid = (uint64_t)getpid();
	int n;

	n = snprintf(h->path, sizeof h->path, "%s/" PREFIX "%llu-%llu-%llu-%llu", parent->path,
		(unsigned long long)pid_namespace(), (unsigned long long)pid,
		(unsigned long long)start_of(pid), (unsigned long long)sd_clock_ns());
	if (n >= (int)sizeof h->path)
		return -ENAMETOOLONG;
	sd_leftover_note_open(&h->note, SD_LEFTOVER_CGROUP, h->path);
	return mkdir(h->path, 0755) ? -errno : 0;
}

static int same_set(const struct sd_cpulist *a, const struct sd_cpulist *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (!sd_cpulist_has(b, a->cpu[i]))
			return 0;
	for (size_t i = 0; i < b->n; i++)
		if (!sd_cpulist_has(a, b->cpu[i]))
			return 0;
	return 1;
}

/* Version 2 takes any list and then uses what it can of it: that is no hold. */
static int verify(const struct sd_private_cgroup *h, const struct sd_cpulist *cpus)
{
	struct sd_cgroup cg = {.version = h->version};
	struct sd_cpulist got = {0};
	char text[8192];
	int rc;

	memcpy(cg.path, h->path, sizeof cg.path);
	rc = sd_cgroup_read(&cg, files[h->version].effective, text, sizeof text);
	if (!rc)
		rc = sd_cpulist_parse(text, &got);
	if (!rc && !same_set(&got, cpus))
		rc = -EINVAL;
	sd_cpulist_free(&got);
	return rc;
}

static int configure(const struct sd_private_cgroup *h, const struct sd_cgroup *parent,
	const struct sd_cpulist *cpus)
{
	char *list = sd_cpulist_format(cpus), mems[4096];
	int rc = list ? 0 : -ENOMEM;

	/* version 1 accepts no process before both lists are set */
	if (!rc && files[h->version].mems_from) {
		rc = sd_cgroup_read(parent, files[h->version].mems_from, mems, sizeof mems);
		if (!rc)
			rc = write_file(h->path, "cpuset.mems", mems);
	}
	if (!rc)
		rc = write_file(h->path, "cpuset.cpus", list);
	free(list);
	return rc ? rc : verify(h, cpus);
}

int sd_private_cgroup_noted(int fd, const char *parent, const char *name)
{
	char path[SD_CGROUP_PATH];
	uint64_t number[NAME_NUMBERS];
	struct statfs fs;

	if (parse_name(name, number) || fstatfs(fd, &fs) != 0 ||
		(fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC))
		return 0;
	if (snprintf(path, sizeof path, "%s/%s", parent, name) >= (int)sizeof path)
		return 0;
	return remove_group(path);
}

static const enum sd_cgroup_controller used[] = {SD_CGROUP_CPUSET, SD_CGROUP_CPU};

void sd_private_cgroup_sweep(void)
{
	struct sd_cgroup own;

	for (size_t i = 0; i < sizeof used / sizeof *used; i++)
		if (sd_cgroup_find(NULL, 0, used[i], &own) == 0)
			sweep(own.path);
}

/* An empty one below ours. */
static int make(struct sd_private_cgroup *h, enum sd_cgroup_controller c, const char *name,
	struct sd_cgroup *parent)
{
	int rc;

	*h = (struct sd_private_cgroup){0};
	rc = sd_cgroup_find(NULL, 0, c, parent);
	if (rc)
		return rc == -ENOENT ? -ENOTSUP : rc;
	if (parent->version == 2 && !enabled_for_children(parent, name))
		return -ENOTSUP;
	sweep(parent->path);
	h->version = parent->version;
	rc = make_folder(h, parent);
	if (rc) {
		sd_leftover_note_close(&h->note);
		*h = (struct sd_private_cgroup){0};
	}
	return rc;
}

int sd_private_cgroup_cpuset(struct sd_private_cgroup *h, const struct sd_cpulist *cpus)
{
	struct sd_cgroup parent;
	int rc = make(h, SD_CGROUP_CPUSET, "cpuset", &parent);

	if (rc)
		return rc;
	rc = configure(h, &parent, cpus);
	if (rc)
		sd_private_cgroup_close(h);
	return rc;
}

int sd_private_cgroup_weight(struct sd_private_cgroup *h)
{
	/* a group has 1024 shares in version 1 and a weight of 100 in version 2 unless told */
	static const struct {
		const char *file;
		int usual;
	} weight[] = {[1] = {"cpu.shares", 1024}, [2] = {"cpu.weight", 100}};
	struct sd_cgroup parent;
	char text[32];
	int rc = make(h, SD_CGROUP_CPU, "cpu", &parent);

	if (rc)
		return rc;
	snprintf(text, sizeof text, "%d", weight[h->version].usual * SD_PRIVATE_CGROUP_PRECEDENCE);
	rc = write_file(h->path, weight[h->version].file, text);
	if (rc)
		sd_private_cgroup_close(h);
	return rc;
}

int sd_private_cgroup_add(const struct sd_private_cgroup *h, pid_t pid)
{
	if (!h->path[0] || pid <= 0)
		return -EINVAL;
	return write_pid(h->path, (uint64_t)pid);
}

/* The parent is the folder that it is in. */
int sd_private_cgroup_files(const struct sd_private_cgroup *h, int *in, int *back)
{
	char path[SD_CGROUP_PATH + 64];

	*in = *back = -1;
	if (h->version != 1)
		return -ENOTSUP;
	snprintf(path, sizeof path, "%s/tasks", h->path);
	*in = open(path, O_WRONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "%.*s/tasks", (int)(strrchr(h->path, '/') - h->path), h->path);
	*back = *in < 0 ? -1 : open(path, O_WRONLY | O_CLOEXEC);
	if (*back >= 0)
		return 0;
	if (*in >= 0)
		close(*in);
	*in = -1;
	return -EACCES;
}

int sd_private_cgroup_folder(const struct sd_private_cgroup *h)
{
	const int fd = h->version == 2 ? open(h->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (h->version != 2)
		return -ENOTSUP;
	return fd < 0 ? -errno : fd;
}

int sd_private_cgroup_close(struct sd_private_cgroup *h)
{
	const int rc = h->path[0] ? remove_group(h->path) : 0;

	/* what stayed is known by its name to the next scalediag here, and elsewhere by its note */
	if (rc)
		sd_leftover_note_keep(&h->note);
	else
		sd_leftover_note_close(&h->note);
	*h = (struct sd_private_cgroup){0};
	return rc;
}
