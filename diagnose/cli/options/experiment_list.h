/*
 * The experiments, as --help lists them.
 */
#ifndef SD_EXPERIMENT_LIST_H
#define SD_EXPERIMENT_LIST_H

#include <stdio.h>

/* Prints what each changes, where, and what it costs. */
void sd_experiment_list_help(FILE *f);

#endif
