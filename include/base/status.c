#include "base/status.h"

#include <errno.h>
#include <string.h>

static const char *const names[SD_STATUS_COUNT] = {
#define X(id, name) [SD_STATUS_##id] = name,
	SD_STATUSES(X)
#undef X
};

const char *sd_status_name(enum sd_status s)
{
	return (unsigned)s < SD_STATUS_COUNT ? names[s] : "absent";
}

int sd_status_parse(const char *name, enum sd_status *out)
{
	for (int i = 0; name && i < SD_STATUS_COUNT; i++)
		if (strcmp(name, names[i]) == 0) {
			*out = (enum sd_status)i;
			return 0;
		}
	return -EINVAL;
}
