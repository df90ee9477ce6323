/*
 * The machine as a report draws it, in a record's JSON.
 */
#ifndef SD_ENCODE_LAYOUT_H
#define SD_ENCODE_LAYOUT_H

#include <stdio.h>

#include "record/machine_layout.h"

/*
 * The member "layout" with a comma behind it; nothing when there is nothing to draw. CPUs are
 * [os, core, SMT rank, LLC, NUMA node, package, kind]; pairs are {"cpus": […], "s": […]}: the
 * triangle below the diagonal, line by line, null where nobody measured; curves are {"mix",
 * "points": [[bytes/s, s], …]}. 0, or -EIO when `f` took an error.
 */
int sd_encode_layout(FILE *f, const struct sd_machine_layout *l);

#endif
