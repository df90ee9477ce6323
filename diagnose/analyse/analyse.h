/*
 * From the record to the answer: points, stack, fits, verdicts. Pure: no clock, no file, no
 * environment, no printing.
 */
#ifndef SD_ANALYSE_H
#define SD_ANALYSE_H

#include "analysis/analysis.h"
#include "record/record.h"

struct sd_formula_tables;
struct sd_advice_texts;

/*
 * Fills *out from the record; the bootstrap draws from the plan's seed, so the same record gives
 * the same bits. With metric tables, for a record that has counts of roles: metrics, and the growth
 * of CPI by mechanism. With advice texts: what to try. Both may be NULL, and must outlive *out,
 * which points into them. 0; -ENODATA when not one point has a usable run (out->warnings says why);
 * -ENOMEM. *out must be freed in every case.
 */
int sd_analyse(const struct sd_record *record, const struct sd_formula_tables *tables,
	const struct sd_advice_texts *advice, struct sd_analysis *out);

#endif
