/*
 * Says of what the cores of a cause are: growth of the program's user time, and there lines that go
 * from core to core.
 */
#ifndef SD_CAUSE_GROWTH_H
#define SD_CAUSE_GROWTH_H

#include "record/cause.h"

/* Which bytes of such a line its threads write: there is no such line, each its own, the same. */
enum sd_cause_bytes { SD_CAUSE_BYTES_NONE, SD_CAUSE_BYTES_DIFFERENT, SD_CAUSE_BYTES_SAME };

struct sd_cause_growth {
	int grown; /* its cores are growth of user time */
	enum sd_cause_bytes bytes;
};
extern const struct sd_cause_growth sd_cause_growth[SD_CAUSE_COUNT];

/* The cause whose threads write these bytes of a line; SD_CAUSE_COUNT for SD_CAUSE_BYTES_NONE. */
enum sd_cause sd_cause_growth_writing(enum sd_cause_bytes bytes);

#endif
