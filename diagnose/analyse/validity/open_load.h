/*
 * A program that runs and serves others: is it its load, and not the program, that sets the
 * throughput?
 */
#ifndef SD_OPEN_LOAD_H
#define SD_OPEN_LOAD_H

#include "case/case.h"

/*
 * Sets c->a->no_verdict, and says how many cores the load needs, when at the largest count the
 * program has cores left that no lock, late peer or CPU keeps it from: its threads wait for
 * requests, by a timer, a socket or a pipe. What its throughput is then says nothing of how it
 * scales. Only of programs that were attached to, by throughput.
 */
void sd_open_load_check(struct sd_case *c);

#endif
