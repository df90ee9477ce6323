#include "attach/named_group.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"

#define DEPTH 24 /* of groups in groups that are looked into */
#define DIGITS 6 /* of a container's id, at least */

struct search {
	enum sd_named_group_kind kind;
	const char *name;
	char *found;   /* owned */
	char base[65]; /* the container's id in the folder found */
	int several;   /* another container fits as well */
};

static int is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The container's id in a folder's name, "docker-ID.scope" or "ID"; NULL: there is none. */
static const char *id_in(const char *folder)
{
	const char *const dash = strrchr(folder, '-');
	const char *const id = dash ? dash + 1 : folder;
	const size_t n = strspn(id, "0123456789abcdef");

	return n == 64 && (!id[n] || strcmp(id + n, ".scope") == 0) ? id : NULL;
}

static int fits(const struct search *s, const char *folder)
{
	const size_t n = strlen(s->name);
	const char *id;

	if (s->kind == SD_NAMED_GROUP_UNIT)
		return strncmp(folder, s->name, n) == 0 &&
		       (!folder[n] || strcmp(folder + n, ".service") == 0);
	id = id_in(folder);
	return id && strncmp(id, s->name, n) == 0;
}

static int take(struct search *s, const char *path, const char *folder)
{
	char base[65] = "";

	if (s->kind == SD_NAMED_GROUP_CONTAINER)
		snprintf(base, sizeof base, "%s", id_in(folder));
	if (s->found) { /* in another hierarchy, or below the first */
		s->several |= strcmp(base, s->base) != 0;
		return 0;
	}
	memcpy(s->base, base, sizeof base);
	s->found = strdup(path);
	return s->found ? 0 : -ENOMEM;
}

static int walk(struct search *s, const char *folder, unsigned depth)
{
	DIR *const dir = depth ? opendir(folder) : NULL;
	char path[PATH_MAX];
	int rc = 0;

	if (!dir)
		return 0;
	for (struct dirent *e; !rc && (e = readdir(dir));) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path)
			continue;
		if (fits(s, e->d_name))
			rc = take(s, path, e->d_name);
		if (!rc && !(s->found && s->kind == SD_NAMED_GROUP_UNIT))
			rc = walk(s, path, depth - 1);
	}
	closedir(dir);
	return rc;
}

static int look_in(struct search *s, const char *mount)
{
	char path[PATH_MAX];

	if (s->found && s->kind != SD_NAMED_GROUP_CONTAINER)
		return 0;
	if (s->kind != SD_NAMED_GROUP_PATH)
		return walk(s, mount, DEPTH);
	if (strncmp(s->name, mount, strlen(mount)) == 0)
		snprintf(path, sizeof path, "%s", s->name);
	else if (snprintf(path, sizeof path, "%s/%s", mount, s->name + (*s->name == '/')) >=
		 (int)sizeof path)
		return 0;
	return is_folder(path) ? take(s, path, "") : 0;
}

/* A line of mountinfo (proc(5)): its fifth word is the mount point, the one behind " - " the type.
 * 1 if it is a hierarchy of the wanted version. */
static int is_hierarchy(char *line, int version, char **mount)
{
	static const char *const type[] = {NULL, "cgroup", "cgroup2"};
	char *const tail = strstr(line, " - "), *rest = NULL, *word;
	size_t n;

	if (!tail)
		return 0;
	n = strcspn(tail + 3, " ");
	if (n != strlen(type[version]) || strncmp(tail + 3, type[version], n) != 0)
		return 0;
	word = strtok_r(line, " ", &rest);
	for (int i = 0; i < 4 && word; i++)
		word = strtok_r(NULL, " ", &rest);
	*mount = word;
	return word != NULL;
}

static int look_in_all(struct search *s, const char *mounts, int version)
{
	FILE *const f = fopen(mounts, "re");
	char *line = NULL, *mount;
	size_t room = 0;
	int rc = 0;

	if (!f)
		return -errno;
	while (!rc && getline(&line, &room, f) > 0)
		if (is_hierarchy(line, version, &mount))
			rc = look_in(s, mount);
	free(line);
	fclose(f);
	return rc;
}

static int is_possible(enum sd_named_group_kind kind, const char *name)
{
	const size_t n = strlen(name);

	if (kind == SD_NAMED_GROUP_PATH)
		return n && n < PATH_MAX / 2 && !strstr(name, "..");
	if (kind == SD_NAMED_GROUP_UNIT)
		return n && n < NAME_MAX && !strchr(name, '/') && *name != '.';
	return n >= DIGITS && n <= 64 && strspn(name, "0123456789abcdef") == n;
}

int sd_named_group_find(
	const char *mounts, enum sd_named_group_kind kind, const char *name, char **folder)
{
	struct search s = {.kind = kind, .name = name};
	int rc = is_possible(kind, name) ? 0 : -EINVAL;

	*folder = NULL;
	for (int version = 2; version > 0 && !rc; version--)
		rc = look_in_all(&s, mounts ? mounts : "/proc/self/mountinfo", version);
	if (!rc && s.several)
		rc = -EEXIST;
	if (!rc && !s.found)
		rc = -ENOENT;
	if (rc)
		free(s.found);
	else
		*folder = s.found;
	return rc;
}

static int each_of(const char *folder, int (*each)(void *ctx, pid_t pid), void *ctx)
{
	char path[PATH_MAX], *line = NULL;
	size_t room = 0;
	uint64_t pid;
	FILE *f;
	int rc = 0;

	if (snprintf(path, sizeof path, "%s/cgroup.procs", folder) >= (int)sizeof path)
		return 0;
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!rc && getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!sd_number_u64(line, 1, INT32_MAX, &pid))
			rc = each(ctx, (pid_t)pid);
	}
	free(line);
	fclose(f);
	return rc;
}

static int each_below(
	const char *folder, unsigned depth, int (*each)(void *ctx, pid_t pid), void *ctx)
{
	int rc = each_of(folder, each, ctx);
	DIR *const dir = depth && !rc ? opendir(folder) : NULL;
	char path[PATH_MAX];

	for (struct dirent *e; dir && !rc && (e = readdir(dir));)
		if (e->d_type == DT_DIR && e->d_name[0] != '.' &&
			snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path)
			rc = each_below(path, depth - 1, each, ctx);
	if (dir)
		closedir(dir);
	return rc;
}

int sd_named_group_each(const char *folder, int (*each)(void *ctx, pid_t pid), void *ctx)
{
	return each_below(folder, DEPTH, each, ctx);
}
