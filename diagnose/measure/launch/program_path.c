#include "launch/program_path.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "launch/environment.h"

/* 0 when `path` is a file this user may execute, else -errno; a folder is -EISDIR. */
static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return eaccess(path, X_OK) ? -errno : 0;
}

/* folder/name, the folder itself under cwd when it is relative; NULL without memory. */
static char *join(const char *cwd, const char *folder, size_t n, const char *name)
{
	const int relative = n == 0 || folder[0] != '/';
	char *path = NULL;

	if (asprintf(&path, "%s%s%.*s%s%s", relative && cwd ? cwd : "", relative && cwd ? "/" : "",
		    (int)n, folder, n ? "/" : "", name) < 0)
		return NULL;
	return path;
}

/* As execvp(): the first that is executable; one that is there but may not be is remembered. */
static int search(const char *name, const char *cwd, const char *folders, char **path)
{
	int rc = -ENOENT;

	for (const char *f = folders;; f++) {
		const size_t n = strcspn(f, ":");
		char *candidate = n > PATH_MAX ? NULL : join(cwd, f, n, name);
		const int failed = candidate ? executable(candidate) : -ENOMEM;

		if (!failed) {
			*path = candidate;
			return 0;
		}
		/* not for a folder of the PATH that may not be entered: it says nothing
		 * of `name` */
		if (failed == -EACCES && access(candidate, F_OK) == 0)
			rc = -EACCES;
		free(candidate);
		f += n;
		if (!*f)
			return rc;
	}
}

static void explain_missing(const char *name, const char *cwd, const struct sd_sink *sink)
{
	char *here = join(cwd, ".", 1, name);

	if (!*name)
		sd_say(sink, SD_LEVEL_ERROR, "the program's name is empty");
	else if (here && !strchr(name, '/') && executable(here) == 0)
		sd_say(sink, SD_LEVEL_ERROR,
			"%s is not in the PATH, but in this folder: start it as ./%s", name, name);
	else if (strchr(name, '/'))
		sd_say(sink, SD_LEVEL_ERROR, "no such program: %s%s%s%s", name,
			cwd && name[0] != '/' ? " (looked up in --cwd " : "",
			cwd && name[0] != '/' ? cwd : "", cwd && name[0] != '/' ? ")" : "");
	else
		sd_say(sink, SD_LEVEL_ERROR,
			"no such program: %s is in no folder of the PATH; give its path, "
			"for example ./%s",
			name, name);
	free(here);
}

/* As sd_program_path_find() with an absolute cwd, without a word. */
static int find(const char *name, const char *cwd, char *const *envp, char **path)
{
	char system[256];
	const char *folders = sd_environment_value(envp, "PATH");
	int rc;

	if (strchr(name, '/')) {
		*path = join(name[0] == '/' ? NULL : cwd, "", 0, name);
		rc = *path ? executable(*path) : -ENOMEM;
	} else {
		if (!folders && confstr(_CS_PATH, system, sizeof system) > 0)
			folders = system;
		rc = search(name, cwd, folders ? folders : "/bin:/usr/bin", path);
	}
	return rc;
}

int sd_program_path_find(const char *name, const char *cwd, char *const *envp, char **path,
	const struct sd_sink *sink)
{
	char *folder = cwd ? realpath(cwd, NULL) : NULL;
	int rc;

	*path = NULL;
	if (cwd && (!folder || eaccess(folder, X_OK))) {
		rc = -errno;
		sd_say(sink, SD_LEVEL_ERROR, "cannot enter the folder %s (--cwd): %s", cwd,
			strerror(-rc));
		free(folder);
		return rc;
	}
	rc = find(name, folder, envp, path);
	if (rc == -ENOENT)
		explain_missing(name, folder, sink);
	else if (rc)
		sd_program_path_explain(*path ? *path : name, rc, sink);
	free(folder);
	if (!rc)
		return 0;
	free(*path);
	*path = NULL;
	return rc == -EISDIR ? -EACCES : rc;
}

/* The interpreter that an ELF file asks for (PT_INTERP); "" when there is none to be found. */
static void elf_loader(int fd, const unsigned char *head, char *loader, size_t size)
{
	Elf64_Ehdr e;
	Elf64_Phdr p;
	ssize_t n;

	loader[0] = '\0';
	if (head[EI_CLASS] != ELFCLASS64 || pread(fd, &e, sizeof e, 0) != (ssize_t)sizeof e)
		return;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		const off_t at = (off_t)(e.e_phoff + (uint64_t)i * sizeof p);

		if (at < 0 || pread(fd, &p, sizeof p, at) != (ssize_t)sizeof p)
			return;
		if (p.p_type != PT_INTERP)
			continue;
		n = pread(fd, loader, size - 1, (off_t)p.p_offset);
		loader[n < 0 ? 0 : n] = '\0';
		return;
	}
}

/* The path in a script's first line ("#!" then the interpreter); "" when there is none. */
static void script_interpreter(const char *head, char *name, size_t size)
{
	size_t n;

	head += 2;
	head += strspn(head, " \t");
	n = strcspn(head, " \t\n");
	snprintf(name, size, "%.*s", (int)(n < size ? n : size - 1), head);
}

/* Says which interpreter or loader is missing when the file is there and exec says it is not. */
static void explain_interpreter(const char *path, const struct sd_sink *sink)
{
	char head[512] = "", name[256] = "";
	const int fd = sd_regular_file_open(path, 0, NULL);
	const ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);

	if (n > 2 && memcmp(head, "#!", 2) == 0)
		script_interpreter(head, name, sizeof name);
	else if (n > EI_NIDENT && memcmp(head, ELFMAG, SELFMAG) == 0)
		elf_loader(fd, (const unsigned char *)head, name, sizeof name);
	if (fd >= 0)
		close(fd);
	if (strlen(name) > 0 && name[strlen(name) - 1] == '\r')
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: its first line ends in a carriage return, so that its interpreter is "
			"not found: save it with Unix line ends",
			path);
	else if (name[0])
		sd_say(sink, SD_LEVEL_ERROR, "%s: its interpreter %s does not exist: install it",
			path, name);
	else
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: it, or the interpreter it asks for, does not exist", path);
}

/* Neither a binary for this machine nor a script that names its interpreter. */
static void explain_format(const char *path, const struct sd_sink *sink)
{
	unsigned char head[20] = {0};
	const int fd = sd_regular_file_open(path, 0, NULL);
	const ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);

	if (fd >= 0)
		close(fd);
	if (n == 0)
		sd_say(sink, SD_LEVEL_ERROR, "%s: the file is empty", path);
	else if (n >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0)
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: built for another kind of machine (ELF machine %u): build it here",
			path, head[18] | head[19] << 8);
	else
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: neither a binary nor a script with a #! line: begin it with one, or name its interpreter: sh %s",
			path, path);
}

void sd_program_path_explain(const char *path, int error, const struct sd_sink *sink)
{
	switch (-error) {
	case EISDIR:
		sd_say(sink, SD_LEVEL_ERROR, "%s is a folder, not a program", path);
		break;
	case EACCES:
		sd_say(sink, SD_LEVEL_ERROR,
			"%s may not be executed: chmod +x it, or if that is set, "
			"look for a folder on the way that may not be entered or a file system mounted noexec",
			path);
		break;
	case ENOENT:
		explain_interpreter(path, sink);
		break;
	case ENOEXEC:
		explain_format(path, sink);
		break;
	case E2BIG:
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: its arguments and environment are longer than the kernel takes: put them into a file",
			path);
		break;
	default:
		sd_say(sink, SD_LEVEL_ERROR, "cannot start %s: %s", path, strerror(-error));
	}
}
