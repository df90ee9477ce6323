/*
 * Notes that the reader of the table of regions needs.
 */
#ifndef SD_REGION_NOTES_H
#define SD_REGION_NOTES_H

#include "analysis/analysis.h"
#include "record/record.h"
#include "runs/run_selection.h"

/* The median time of a point's runs, s, also when only a part of them is judged. v: as many as
 * there are runs. */
double sd_region_notes_whole(const struct sd_chosen *p, double *v);

/* Was it entered as often at both? */
int sd_region_notes_same(const struct sd_region_point *a, const struct sd_region_point *b);

/* Adds the notes of a row; its points are filled. 0 or -ENOMEM. */
int sd_region_notes_row(struct sd_region_row *row, const struct sd_region_time *of,
	const struct sd_run_selection *choice);

/* Those of the table, and which part of the runs is judged. 0 or -ENOMEM. */
int sd_region_notes_all(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a);

#endif
