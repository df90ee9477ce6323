#include "launch/source_commit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"

#define SMALL 4096        /* bytes of HEAD, of a ref, of a .git file */
#define PACKED (8l << 20) /* bytes of packed-refs that are looked through */

/* A regular file's first bytes as a text without its last newline. 0 or -errno. */
static int read_file(const char *path, char *out, size_t size)
{
	struct stat st;
	const int fd = sd_regular_file_open(path, 0, &st);
	ssize_t n = -1;

	out[0] = '\0';
	if (fd < 0)
		return -ENOENT;
	if ((size_t)st.st_size < size)
		n = read(fd, out, size - 1);
	close(fd);
	if (n < 0)
		return -EINVAL;
	out[n] = '\0';
	out[strcspn(out, "\r\n")] = '\0';
	return 0;
}

/* Names a file of a folder. 0 or -ENAMETOOLONG. */
static int join(char out[PATH_MAX], const char *folder, const char *name)
{
	const int n = name[0] == '/' ? snprintf(out, PATH_MAX, "%s", name)
				     : snprintf(out, PATH_MAX, "%s/%s", folder, name);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* SHA-1 or SHA-256. */
static int is_commit(const char *text)
{
	const size_t n = strspn(text, "0123456789abcdef");

	return (n == 40 || n == 64) && text[n] == '\0';
}

/* Is this a name that git gives a ref, and no way out of the repository? */
static int is_ref(const char *name)
{
	return strncmp(name, "refs/", 5) == 0 && !strstr(name, "..") && !strstr(name, "//") &&
	       !strpbrk(name, " ~^:?*[\\") && name[strlen(name) - 1] != '/';
}

/* A line "COMMIT REF" of packed-refs. */
static int find_packed(const char *folder, const char *ref, char commit[65])
{
	char path[PATH_MAX], line[SMALL];
	struct stat st;
	FILE *f;
	int rc = -ENOENT, fd;

	if (join(path, folder, "packed-refs") < 0)
		return -ENAMETOOLONG;
	fd = sd_regular_file_open(path, 0, &st);
	f = fd >= 0 && st.st_size <= PACKED ? fdopen(fd, "r") : NULL;
	if (!f && fd >= 0)
		close(fd);
	while (f && rc && fgets(line, sizeof line, f)) {
		char *const blank = strchr(line, ' ');

		line[strcspn(line, "\r\n")] = '\0';
		if (!blank || strcmp(blank + 1, ref) != 0)
			continue;
		*blank = '\0';
		if (!is_commit(line))
			break;
		memcpy(commit, line, strlen(line) + 1);
		rc = 0;
	}
	if (f)
		fclose(f);
	return rc;
}

/* The folder that a worktree shares with its repository; else the same. */
static int find_common(const char *git, char out[PATH_MAX])
{
	char path[PATH_MAX], text[SMALL];

	if (join(path, git, "commondir") == 0 && read_file(path, text, sizeof text) == 0 && text[0])
		return join(out, git, text);
	return join(out, git, ".");
}

static int follow_ref(const char *git, const char *ref, struct sd_source_commit *out)
{
	char common[PATH_MAX], path[PATH_MAX], text[SMALL];
	static const char branch[] = "refs/heads/";

	if (!is_ref(ref) || find_common(git, common) < 0 || join(path, common, ref) < 0)
		return -EINVAL;
	if (read_file(path, text, sizeof text) == 0 && is_commit(text))
		memcpy(out->commit, text, strlen(text) + 1);
	else if (find_packed(common, ref, out->commit) < 0)
		return -ENOENT;
	if (strncmp(ref, branch, sizeof branch - 1) == 0)
		snprintf(out->branch, sizeof out->branch, "%.255s", ref + sizeof branch - 1);
	return 0;
}

static int read_head(const char *git, struct sd_source_commit *out)
{
	static const char symbolic[] = "ref: ";
	char path[PATH_MAX], text[SMALL];

	if (join(path, git, "HEAD") < 0 || read_file(path, text, sizeof text) < 0)
		return -ENOENT;
	if (strncmp(text, symbolic, sizeof symbolic - 1) == 0)
		return follow_ref(git, text + sizeof symbolic - 1, out);
	if (!is_commit(text))
		return -EINVAL;
	memcpy(out->commit, text, strlen(text) + 1);
	return 0;
}

/* The folder of the repository's own files, where `folder` is the top of a working tree. */
static int find_git(const char *folder, char out[PATH_MAX])
{
	static const char elsewhere[] = "gitdir: ";
	char path[PATH_MAX], text[SMALL];
	struct stat st;

	if (join(path, folder, ".git") < 0 || stat(path, &st) != 0)
		return -ENOENT;
	if (S_ISDIR(st.st_mode))
		return join(out, path, ".");
	if (read_file(path, text, sizeof text) < 0 ||
		strncmp(text, elsewhere, sizeof elsewhere - 1) != 0)
		return -EINVAL;
	return join(out, folder, text + sizeof elsewhere - 1);
}

int sd_source_commit_read(const char *folder, struct sd_source_commit *out)
{
	char top[PATH_MAX], git[PATH_MAX];
	char *slash;
	int rc = -ENOENT;

	*out = (struct sd_source_commit){0};
	if (folder[0] != '/' || strlen(folder) >= sizeof top)
		return 0;
	memcpy(top, folder, strlen(folder) + 1);
	while (top[0] && (rc = find_git(top, git)) == -ENOENT) {
		slash = strrchr(top, '/');
		*slash = '\0';
	}
	if (rc || read_head(git, out) < 0) {
		*out = (struct sd_source_commit){0};
		return 0;
	}
	out->root = strdup(top);
	return out->root ? 0 : -ENOMEM;
}
