/*
 * A record read from its file and analysed: what report, compare and check begin with.
 */
#ifndef SD_DIAGNOSIS_H
#define SD_DIAGNOSIS_H

#include "analysis/analysis.h"
#include "context/context.h"
#include "run/config_tables.h"
#include "record/record.h"

struct sd_diagnosis {
	struct sd_record record;
	struct sd_config_tables tables; /* the analysis points into them */
	struct sd_analysis analysis;
};

/*
 * `samples`: the folder of kept samples that its runs are attributed anew from, or NULL.
 * 0; -errno after a message. -ENODATA: it holds no usable run; said, unless `quiet`. *out must be
 * freed in every case.
 */
int sd_diagnosis_open_with(struct sd_diagnosis *out, const struct sd_cli *cli, const char *path,
	const char *samples, int quiet);
int sd_diagnosis_open(
	struct sd_diagnosis *out, const struct sd_cli *cli, const char *path, int quiet);

/* The same of a record that is in memory, which it takes; `path` is for messages. */
int sd_diagnosis_of(struct sd_diagnosis *out, const struct sd_cli *cli, const char *path,
	struct sd_record *record);
void sd_diagnosis_close(struct sd_diagnosis *d); /* accepts the zeroed value */

#endif
