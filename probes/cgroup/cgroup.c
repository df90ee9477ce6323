#include "cgroup/cgroup.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "proc/textfile.h"

/* Controller names by [controller][version - 1]. */
static const char *const controller_name[SD_CGROUP_COUNT][2] = {
#define X(id, v1, v2) [SD_CGROUP_##id] = {v1, v2},
	SD_CGROUP_CONTROLLERS(X)
#undef X
};

/* Is `word` one of the comma-separated words of `list`? */
static int list_has(const char *list, const char *word)
{
	const size_t n = strlen(word);

	for (const char *p = list; p; p = strchr(p, ','), p = p ? p + 1 : NULL)
		if (strncmp(p, word, n) == 0 && (p[n] == ',' || p[n] == '\0'))
			return 1;
	return 0;
}

static FILE *open_proc(const char *root, pid_t pid, const char *file)
{
	char path[SD_CGROUP_PATH];
	int n;

	if (pid)
		n = snprintf(path, sizeof path, "%s/proc/%ld/%s", root, (long)pid, file);
	else
		n = snprintf(path, sizeof path, "%s/proc/self/%s", root, file);
	if (n >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return fopen(path, "re");
}

/*
 * The path of `pid` inside the hierarchy of `c` (/proc/PID/cgroup, "id:controllers:path"), and that
 * hierarchy's version: on a hybrid machine both kinds of line are there, and the kernel binds a
 * controller to exactly one hierarchy, which the version 1 line shows.
 */
static int own_path(const char *root, pid_t pid, enum sd_cgroup_controller c, int *version,
	char *path, size_t size)
{
	FILE *f = open_proc(root, pid, "cgroup");
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	*version = 0;
	path[0] = '\0';
	if (!f)
		return -errno;
	while (*version != 1 && !rc && getline(&line, &room, f) > 0) {
		char *controllers = strchr(line, ':');
		char *own = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!own)
			continue;
		*controllers++ = *own++ = '\0';
		own[strcspn(own, "\n")] = '\0';
		if (own[0] != '/')
			continue;
		if (list_has(controllers, controller_name[c][0]))
			*version = 1;
		else if (strcmp(line, "0") == 0 && !*controllers)
			*version = 2;
		else
			continue;
		if (snprintf(path, size, "%s", own) >= (int)size)
			rc = -ENAMETOOLONG;
	}
	free(line);
	fclose(f);
	if (rc)
		return rc;
	return *version ? 0 : -ENOENT;
}

/* The fields of a /proc/PID/mountinfo line that matter here (proc(5)). */
struct mount_line {
	char *root, *point, *type, *super;
};

/* The kernel writes space, tab, newline and backslash as a backslash and three octal digits. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++)
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
			s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	*to = '\0';
}

/* Cuts the line into its fields. 0 or -EINVAL. */
static int split_mount(char *line, struct mount_line *m)
{
	char *rest = NULL, *word = strtok_r(line, " \n", &rest);

	*m = (struct mount_line){0};
	for (int i = 0; word && strcmp(word, "-") != 0; i++) {
		if (i == 3)
			m->root = word;
		else if (i == 4)
			m->point = word;
		word = strtok_r(NULL, " \n", &rest);
	}
	m->type = strtok_r(NULL, " \n", &rest);
	strtok_r(NULL, " \n", &rest);
	m->super = strtok_r(NULL, " \n", &rest);
	if (!m->point || !m->type || !m->super)
		return -EINVAL;
	unescape(m->root);
	unescape(m->point);
	return 0;
}

/* A ".." would leave the mount: such a cgroup is not visible here. */
static int has_dotdot(const char *path)
{
	for (const char *p = path; (p = strstr(p, "/..")) != NULL; p += 3)
		if (p[3] == '/' || p[3] == '\0')
			return 1;
	return 0;
}

/*
 * The path of `own` below the mount's root, "" or "/…"; NULL when the mount does not show it. Both
 * are as seen from this process's cgroup namespace, so that they compare.
 */
static const char *below(const char *own, const char *mount_root)
{
	size_t n = strlen(mount_root);

	if (strcmp(mount_root, "/") == 0)
		n = 0;
	if (strncmp(own, mount_root, n) != 0 || (own[n] && own[n] != '/'))
		return NULL;
	own += n;
	if (has_dotdot(own))
		return NULL;
	return strcmp(own, "/") == 0 ? "" : own;
}

/* Takes the mount for *out when it shows `own`. 0, also when it does not; -ENAMETOOLONG. */
static int take_mount(
	const struct mount_line *m, const char *prefix, const char *own, struct sd_cgroup *out)
{
	const char *rest = below(own, m->root);
	const char *point = strcmp(m->point, "/") == 0 ? "" : m->point;

	if (!rest)
		return 0;
	if (snprintf(out->path, sizeof out->path, "%s%s%s", prefix, point, rest) >=
		(int)sizeof out->path)
		return -ENAMETOOLONG;
	out->top = strlen(prefix) + strlen(point);
	return 0;
}

/*
 * The folder of `own`, through the mount that shows most of its ancestors; the later one of two
 * alike, since it hides the earlier.
 */
static int find_mount(
	const char *root, enum sd_cgroup_controller c, const char *own, struct sd_cgroup *out)
{
	const char *type = out->version == 1 ? "cgroup" : "cgroup2";
	FILE *f = open_proc(root, 0, "mountinfo");
	char *line = NULL;
	size_t room = 0, shortest = SIZE_MAX;
	int rc = 0;

	if (!f)
		return -errno;
	while (!rc && getline(&line, &room, f) > 0) {
		struct mount_line m;

		if (split_mount(line, &m) || strcmp(m.type, type) != 0)
			continue;
		if (out->version == 1 && !list_has(m.super, controller_name[c][0]))
			continue;
		if (strlen(m.root) > shortest || !below(own, m.root))
			continue;
		shortest = strlen(m.root);
		rc = take_mount(&m, root, own, out);
	}
	free(line);
	fclose(f);
	if (rc)
		return rc;
	return shortest == SIZE_MAX ? -ENOENT : 0;
}

int sd_cgroup_find(const char *root, pid_t pid, enum sd_cgroup_controller c, struct sd_cgroup *out)
{
	char own[SD_CGROUP_PATH];
	int rc;

	*out = (struct sd_cgroup){0};
	if (!root)
		root = "";
	rc = own_path(root, pid, c, &out->version, own, sizeof own);
	if (!rc)
		rc = find_mount(root, c, own, out);
	if (rc)
		*out = (struct sd_cgroup){0};
	return rc;
}

int sd_cgroup_up(struct sd_cgroup *cg)
{
	char *slash = strrchr(cg->path, '/');

	if (!slash || (size_t)(slash - cg->path) < cg->top)
		return -ENOENT;
	*slash = '\0';
	return 0;
}

int sd_cgroup_read(const struct sd_cgroup *cg, const char *file, char *buf, size_t size)
{
	char name[64];

	buf[0] = '\0';
	if (snprintf(name, sizeof name, "/%s", file) >= (int)sizeof name)
		return -ENAMETOOLONG;
	return sd_textfile_read(cg->path, name, buf, size);
}

/* A file that is not there sets no quota; one that cannot be read may. */
static struct sd_value unread(int rc)
{
	if (rc == -ENOENT || rc == -ENOTDIR)
		return SD_NOT(ABSENT);
	return rc == -EACCES || rc == -EPERM ? SD_NOT(DENIED) : SD_NOT(UNSUPPORTED);
}

/* Microseconds of CPU time a period, both as text. */
static struct sd_value ratio(const char *quota, const char *period)
{
	const uint64_t most = UINT64_C(1000000000000000);
	uint64_t q, p;

	if (sd_number_u64(quota, 1, most, &q) || sd_number_u64(period, 1, most, &p))
		return SD_NOT(UNSUPPORTED);
	return SD_OK((double)q / (double)p);
}

static struct sd_value quota_v1(const struct sd_cgroup *cg)
{
	char quota[64], period[64];
	int rc = sd_cgroup_read(cg, "cpu.cfs_quota_us", quota, sizeof quota);

	if (rc)
		return unread(rc);
	if (strcmp(quota, "-1") == 0)
		return SD_NOT(ABSENT);
	rc = sd_cgroup_read(cg, "cpu.cfs_period_us", period, sizeof period);
	if (rc)
		return rc == -ENOENT ? SD_NOT(UNSUPPORTED) : unread(rc);
	return ratio(quota, period);
}

static struct sd_value quota_v2(const struct sd_cgroup *cg)
{
	char text[128], *period;
	const int rc = sd_cgroup_read(cg, "cpu.max", text, sizeof text);

	if (rc)
		return unread(rc);
	period = strchr(text, ' ');
	if (!period)
		return SD_NOT(UNSUPPORTED);
	*period++ = '\0';
	if (strcmp(text, "max") == 0)
		return SD_NOT(ABSENT);
	return ratio(text, period);
}

struct sd_value sd_cgroup_quota(const char *root, pid_t pid)
{
	struct sd_value least = SD_NOT(ABSENT);
	struct sd_cgroup cg;
	int rc = sd_cgroup_find(root, pid, SD_CGROUP_CPU, &cg);

	if (rc)
		return unread(rc);
	for (; !rc; rc = sd_cgroup_up(&cg)) {
		const struct sd_value here = cg.version == 1 ? quota_v1(&cg) : quota_v2(&cg);

		if (sd_has(here) && (!sd_has(least) || here.value < least.value))
			least = here;
		else if (least.status == SD_STATUS_ABSENT)
			least.status = here.status;
	}
	return least;
}
