#include "threads/dumpable.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "proc/textfile.h"

/* The owner of a path below /proc/PID; 0 or -errno. */
static int read_owner(const char *root, pid_t pid, const char *file, uid_t *owner)
{
	char path[4096];
	struct stat st;

	if (snprintf(path, sizeof path, "%s/proc/%d%s", root, (int)pid, file) >= (int)sizeof path)
		return -ENAMETOOLONG;
	if (stat(path, &st))
		return -errno;
	*owner = st.st_uid;
	return 0;
}

/* Read after the owner: what has an address space now had one then. 1, 0, or -errno. */
static int has_memory(const char *root, pid_t pid)
{
	char path[64], text[128];
	int rc;

	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	rc = sd_textfile_read(root, path, text, sizeof text);
	return rc ? rc : text[0] >= '1' && text[0] <= '9';
}

int sd_dumpable_lost(const char *root, pid_t pid, uid_t watcher)
{
	uid_t user = 0, owner = 0;
	int rc = read_owner(root, pid, "", &user);

	if (!rc)
		rc = read_owner(root, pid, "/stat", &owner);
	if (rc)
		return rc;
	if (owner == user && (watcher == 0 || user == watcher))
		return 0;
	return has_memory(root, pid);
}
