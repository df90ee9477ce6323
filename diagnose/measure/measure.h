/*
 * Carries out the plan: warm-up, randomised blocks, more runs until the efficiency is known, the
 * drift check at the end.
 */
#ifndef SD_MEASURE_H
#define SD_MEASURE_H

#include "plan/measurement.h"
#include "record/record.h"
#include "base/sink.h"

/*
 * Makes the runs that record->plan still lacks (a resumed record already has some), appends every
 * finished run to the record and writes the file after each. Sets record->complete when the plan is
 * done or its budget spent. 0; -EINTR: stopped, with every finished run in the record. With one
 * message said: -ECHILD: the program failed (non-zero exit, signal, timeout or no --rate match),
 * which is recorded; -ENOEXEC: it could not be started, for whatever reason; -ECANCELED: --prepare
 * failed or could not be started; any other -errno: could not measure.
 *
 * The order: write the record, to know that it can be written (unless an older one stays for now);
 * one warm-up at the first count; two blocks in random order (planner.h); then one step after the
 * other as m->choose says: a block, or a pair of an experiment. Each point gets its minimum of runs
 * (METHODS 5); more, unless --repeats fixed their number, where these are chosen and the efficiency
 * is not yet known to +-2 percentage points, always with runs of the reference. Then the first
 * count once more, and experiments that are still worth it. With a
 * budget a run is started only if it should end within it, by the median of similar runs, but each
 * point gets one run. Before and after each run the line transfer between the CPUs of the largest
 * point is measured (line_probe.h), which tells the runs of the machine's states apart; none is
 * repeated.
 *
 * If the plan has a simulation, each point is finally run once under the software PMU. Such runs
 * are never among the times, and a failed one is a warning in the record, not a failure.
 *
 * Beside the record FOO.json it writes the latest run's output to FOO.scalediag.out and .err, and
 * with --prepare FOO.scalediag.prepare.out and .err. `--timeout` also applies to --prepare, and
 * processes it leaves running are ended like the program's own.
 */
int sd_measure(const struct sd_measure *m, struct sd_record *record, const struct sd_sink *sink);

#endif
