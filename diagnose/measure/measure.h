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
 * Runs what record->plan still lacks (a resumed record has runs already) and appends every finished
 * run to the record, writing the file after each. record->complete is set when the plan has been
 * carried out (or its budget spent). 0; -EINTR: stopped, the record holds every finished run;
 * -ECHILD: the program failed (non-zero exit, signal, timeout or no --rate match): said, recorded;
 * -ENOEXEC: it could not be started, for whatever reason: said; -ECANCELED: --prepare failed or
 * could not be started: said; any other -errno: could not measure, said.
 *
 * The order: the record is written, to know that it can be (unless an older one stays for now); one
 * warm-up at the first count; blocks in random order (planner.h) until each point has its least
 * number of runs (METHODS 5) and, when
 * --repeats did not fix it, until the efficiency of each is known to +-2 points of a hundred, the
 * reference being run along; the first count once more. With a budget, a run is started only when
 * it would end within it, by the median of its like, but each point gets one run. Before and after
 * each run the line transfer between the CPUs of the largest point is measured (line_probe.h), and
 * a run during which it changed by more than 1.6 times (at a second look too) is dropped and
 * repeated, at most twice.
 *
 * With a simulation in the plan each point is run once more under the software PMU, last: such runs
 * are never among the times, and one that fails leaves a warning in the record, not a failure.
 *
 * Beside the record FOO.json are FOO.scalediag.out and .err, what the latest run printed, and with
 * --prepare FOO.scalediag.prepare.out and .err; `--timeout` holds for --prepare too, and what that
 * leaves running is ended like the program's own processes.
 */
int sd_measure(const struct sd_measure *m, struct sd_record *record, const struct sd_sink *sink);

#endif
