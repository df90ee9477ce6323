/*
 * Whether another window of a program that is only looked at would change what is said of it: a
 * pure function of what is known so far (METHODS 4.5).
 */
#ifndef SD_NEXT_WINDOWS_H
#define SD_NEXT_WINDOWS_H

#include "case/case.h"

/* Is it a program that ran already, looked at with the CPUs it has? */
int sd_next_windows_looked(const struct sd_case *c);

/*
 * FIRST while another window is expected to bring the answer closer: what useful work takes, what
 * takes most of the rest, or whether anybody writes a line that no watchpoint was on yet. ENOUGH
 * after that. *is: by how many cores the intervals of these come closer, and what it takes.
 */
enum sd_runs_wanted sd_next_windows(const struct sd_case *c, struct sd_run_choice *is);

#endif
