/*
 * Encodes the machine layout in a record's JSON.
 */
#ifndef SD_ENCODE_LAYOUT_H
#define SD_ENCODE_LAYOUT_H

#include <stdio.h>

#include "record/machine_layout.h"

/*
 * Writes the member "layout" followed by a comma; nothing if there is no layout. CPUs are [os,
 * core, SMT rank, LLC, NUMA node, package, kind]; pairs are {"cpus": […], "s": […]}: the triangle
 * below the diagonal, row by row, null if not measured; curves are {"mix", "points": [[bytes/s, s],
 * …]}. 0, or -EIO: writing to `f` failed.
 */
int sd_encode_layout(FILE *f, const struct sd_machine_layout *l);

#endif
