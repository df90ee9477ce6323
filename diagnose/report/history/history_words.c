#include "history/history_report.h"

#include <math.h>
#include <time.h>

#include "page/interval_text.h"

void sd_history_time(const struct sd_history_row *row, char out[32])
{
	const time_t seconds = row->time > 0 && row->time < 1e11 ? (time_t)row->time : 0;
	struct tm tm;

	out[0] = '\0';
	if (!seconds || !gmtime_r(&seconds, &tm) || !strftime(out, 32, "%Y-%m-%d %H:%M", &tm))
		out[0] = '\0';
}

void sd_history_commit(const struct sd_history_row *row, char out[80])
{
	snprintf(out, 80, "%.8s%s%.40s", row->commit, row->branch[0] ? " " : "", row->branch);
}

void sd_history_cause(const struct sd_history_row *row, char out[128])
{
	if (row->cause >= SD_CAUSE_COUNT)
		snprintf(out, 128, "none found");
	else if (sd_interval_text_has(row->cores))
		snprintf(out, 128, "%s, %.2f cores (%s)", sd_cause_info[row->cause].label,
			row->cores.value, sd_verdict_label[row->verdict]);
	else
		snprintf(out, 128, "%s (%s)", sd_cause_info[row->cause].label,
			sd_verdict_label[row->verdict]);
}

const char *sd_history_change(const struct sd_history_row *row)
{
	return row->change == SD_CHANGE_MORE   ? "slower"
	       : row->change == SD_CHANGE_LESS ? "faster"
					       : "";
}
