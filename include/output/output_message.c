#include "output/output_message.h"

#include <errno.h>
#include <string.h>

#include "output/output_file.h"

/* Advice for a person who meets an error. */
static const struct {
	int error;
	const char *advice;
} advices[] = {
	{ENOSPC, "the disk is full: free some space there, or choose another place"},
	{EDQUOT, "your disk quota is used up: free some space, or choose another place"},
	{EFBIG, "the limit of file sizes is reached: see `ulimit -f`, or choose another place"},
	{EROFS, "choose another place"},
	{EACCES, "choose a folder you may write to"},
	{EPERM, "choose a folder you may write to"},
	{ENOENT, "create the folder first, or choose another place"},
	{ENOTDIR, "choose another place"},
	{EEXIST, "something else has just come there: choose another name"},
	{ENAMETOOLONG, "choose a shorter name"},
	{EIO, "the disk failed: choose another place"},
	{EINVAL, "this is a fault of scalediag: please report it"},
};

int sd_output_message_failed(
	const char *path, enum sd_output_kind kind, int rc, const struct sd_sink *sink)
{
	const char *advice = "choose another place";

	for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
		if (advices[i].error == -rc)
			advice = advices[i].advice;
	sd_say(sink, SD_LEVEL_ERROR, "%s: cannot write the %s: %s; %s", path,
		sd_output_kind_info[kind].name, strerror(-rc), advice);
	return rc;
}

int sd_output_file_refuse(const char *path, enum sd_output_kind kind, enum sd_output_there there,
	const struct sd_sink *sink)
{
	const char *const name = sd_output_kind_info[kind].name;
	const int error = errno;

	switch (there) {
	case SD_OUTPUT_NOTHING:
	case SD_OUTPUT_OURS:
	case SD_OUTPUT_STREAM:
		return 0;
	case SD_OUTPUT_FOREIGN:
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: not overwritten, because it is no %s of scalediag's: remove it, or choose another name",
			path, name);
		return -EEXIST;
	case SD_OUTPUT_LINK:
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: is a symbolic link, and scalediag writes through none: name the %s itself",
			path, name);
		return -ELOOP;
	case SD_OUTPUT_FOLDER:
		sd_say(sink, SD_LEVEL_ERROR, "%s: is a folder: give the name of a file for the %s",
			path, name);
		return -EISDIR;
	case SD_OUTPUT_SPECIAL:
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: is a device or a pipe, which cannot hold the %s: give the name of a file",
			path, name);
		return -EEXIST;
	case SD_OUTPUT_UNKNOWN:
		break;
	}
	return sd_output_message_failed(path, kind, -error, sink);
}

int sd_output_file_refused(int rc)
{
	return rc == -EEXIST || rc == -ELOOP || rc == -EISDIR;
}
