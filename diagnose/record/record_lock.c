#include "record/record_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output_file.h"
#include "output/output_message.h"
#include "record/record_names.h"

/* Whoever had it may be removing it: then the file that we opened is nobody's. */
#define TRIES 100

static int open_file(const char *path, const struct sd_sink *sink)
{
	struct stat st;
	int rc, fd;

	rc = sd_output_file_refuse(
		path, SD_OUTPUT_LOCK, sd_output_file_look(path, SD_OUTPUT_LOCK, &st), sink);
	if (rc)
		return rc;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		sd_output_kind_info[SD_OUTPUT_LOCK].mode);
	return fd >= 0 ? fd : sd_output_message_failed(path, SD_OUTPUT_LOCK, -errno, sink);
}

static int is_at(int fd, const char *path)
{
	struct stat mine, there;

	return fstat(fd, &mine) == 0 && lstat(path, &there) == 0 && mine.st_dev == there.st_dev &&
	       mine.st_ino == there.st_ino;
}

/* 1: another one has it, *holder is its number, 0 unknown. */
static int take(int fd, pid_t *holder)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int error;

	*holder = 0;
	if (fcntl(fd, F_SETLK, &l) == 0)
		return 0;
	error = errno;
	if (error != EACCES && error != EAGAIN)
		return -error;
	l = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
	if (fcntl(fd, F_GETLK, &l) == 0 && l.l_type != F_UNLCK && l.l_pid > 0)
		*holder = l.l_pid;
	return 1;
}

static int say_busy(const char *record, pid_t holder, const struct sd_sink *sink)
{
	char who[48] = "another scalediag";

	if (holder)
		snprintf(who, sizeof who, "another scalediag (process %d)", (int)holder);
	sd_say(sink, SD_LEVEL_ERROR,
		"%s: %s is measuring into this record now: wait for its end, or name another record with -o",
		record, who);
	return -EBUSY;
}

int sd_record_lock_take(struct sd_record_lock *lock, const char *record, const struct sd_sink *sink)
{
	char *const path = sd_record_names_beside(record, "lock");
	pid_t holder;
	int fd = -1, rc = path ? 0 : -ENOMEM;

	*lock = (struct sd_record_lock){.fd = -1};
	if (path)
		sd_leftover_note_open(&lock->note, SD_LEFTOVER_LOCK, path);
	for (int i = 0; !rc && i < TRIES; i++) {
		fd = open_file(path, sink);
		rc = fd < 0 ? fd : take(fd, &holder);
		if (rc || is_at(fd, path))
			break;
		close(fd);
		fd = -1;
	}
	if (rc > 0)
		rc = say_busy(record, holder, sink);
	else if (rc && fd >= 0) {
		sd_say(sink, SD_LEVEL_WARNING,
			"%s: cannot be locked here (%s): start no second measurement into it",
			record, strerror(-rc));
		rc = 0;
	}
	if (rc) {
		if (fd >= 0)
			close(fd);
		sd_leftover_note_close(&lock->note);
		free(path);
		return rc;
	}
	lock->path = path;
	lock->fd = fd;
	return 0;
}

void sd_record_lock_release(struct sd_record_lock *lock)
{
	if (lock->path) {
		/* while it is still ours */
		if (lock->fd >= 0 && is_at(lock->fd, lock->path))
			unlink(lock->path);
		if (lock->fd >= 0)
			close(lock->fd);
		sd_leftover_note_close(&lock->note);
	}
	free(lock->path);
	*lock = (struct sd_record_lock){.fd = -1};
}

int sd_record_lock_noted(int fd, const char *folder, const char *name)
{
	const int own = openat(fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat mine, there;
	pid_t holder;

	(void)folder;
	if (own < 0)
		return 0;
	if (fstat(own, &mine) == 0 && S_ISREG(mine.st_mode) && mine.st_uid == geteuid() &&
		mine.st_size == 0 && take(own, &holder) == 0 &&
		fstatat(fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		mine.st_dev == there.st_dev && mine.st_ino == there.st_ino)
		(void)unlinkat(fd, name, 0);
	close(own);
	return 0;
}
