#include "perf_event/counter_read.h"

#include <errno.h>
#include <unistd.h>

enum sd_status sd_counter_read_error(int error)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		return SD_STATUS_DENIED;
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
	case -EOPNOTSUPP:
	case -EINVAL:
	case -ENOSYS:
		return SD_STATUS_UNSUPPORTED;
	default:
		return SD_STATUS_ABSENT;
	}
}

struct sd_value sd_counter_read_value(const struct sd_counter_read_reading *r)
{
	if (r->running == 0)
		return SD_NOT(ABSENT);
	if (r->running >= r->enabled)
		return SD_OK((double)r->value);
	return (struct sd_value){
		.value = (double)r->value * ((double)r->enabled / (double)r->running),
		.status = SD_STATUS_MULTIPLEXED};
}

struct sd_value sd_counter_read(int fd)
{
	struct sd_counter_read_reading r;

	if (read(fd, &r, sizeof r) != (ssize_t)sizeof r)
		return SD_NOT(ABSENT);
	return sd_counter_read_value(&r);
}
