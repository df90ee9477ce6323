/*
 * One rank agent's measurement where its rank ran: a record of one run, beside the ranks' logs,
 * until scalediag makes one run of all of them.
 */
#ifndef SD_RANK_PART_H
#define SD_RANK_PART_H

#include "base/sink.h"
#include "record/record.h"

/* Ends the names of such files. */
#define SD_RANK_PART_SUFFIX ".part.json"

/*
 * Writes the run and the stacks that name its places as FOLDER/HOST.PID.part.json.
 * `cpus`: those the rank had, one at least; `cores`: of which the run's idle[] says where they
 * were. Takes the contents of both. 0 or -errno, reported.
 */
int sd_rank_part_write(const char *folder, const struct sd_cpulist *cpus, unsigned cores,
	char *const *argv, struct sd_run *run, struct sd_stacks *stacks,
	const struct sd_sink *sink);

#endif
