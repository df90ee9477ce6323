#include "loops/transfer_time.h"

#include "accounting/run_parts.h"

#define LOADED 5
#define UNKNOWN 1e-6 /* s: twice a transfer between sockets, under load */

struct sd_value sd_transfer_time(const struct sd_record *record, const struct sd_chosen *point)
{
	double sum = 0;
	size_t n = 0;

	if (sd_has(record->calibration.line) && record->calibration.line.value > 0)
		return record->calibration.line;
	for (size_t j = 0; j < point->n_run; j++) {
		const struct sd_value v = point->run[j]->metric[SD_METRIC_LINE_BEFORE];

		if (sd_run_parts_usable(v)) {
			sum += v.value / 2; /* a round trip */
			n++;
		}
	}
	return n ? SD_OK(sum / (double)n) : SD_NOT(ABSENT);
}

double sd_transfer_time_most(const struct sd_record *record, const struct sd_chosen *point)
{
	const struct sd_value line = sd_transfer_time(record, point);

	return sd_has(line) ? LOADED * line.value : UNKNOWN;
}
