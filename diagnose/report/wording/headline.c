#include "wording/headline.h"

#include <stdio.h>
#include <stdlib.h>

#include "page/interval_text.h"

static void runs_text(const struct sd_analysis *a, char *out, size_t size)
{
	size_t least = a->n_point ? a->point[0].runs : 0, most = least;

	for (size_t i = 0; i < a->n_point; i++) {
		least = a->point[i].runs < least ? a->point[i].runs : least;
		most = a->point[i].runs > most ? a->point[i].runs : most;
	}
	if (least == most)
		snprintf(out, size, "%zu run%s a point", most, most == 1 ? "" : "s");
	else
		snprintf(out, size, "%zu to %zu runs a point", least, most);
}

static int counted_cycles(const struct sd_record *r)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (sd_has(r->run[i].metric[SD_METRIC_CYCLES]))
			return 1;
	return 0;
}

/* Where the numbers come from, and why not from a PMU. */
static void events_text(const struct sd_record *r, char *out, size_t size)
{
	const struct sd_host *h = &r->host;

	if (counted_cycles(r))
		snprintf(out, size, "events: os, PMU");
	else if (h->pmu == SD_STATUS_OK)
		snprintf(out, size, "events: os (the PMU was not used)");
	else if (h->pmu == SD_STATUS_DENIED)
		snprintf(out, size, "events: os (PMU not permitted: perf_event_paranoid %d)",
			h->perf_paranoid);
	else if (h->pmu == SD_STATUS_UNSUPPORTED)
		snprintf(out, size, "events: os (no PMU%s)",
			h->hypervisor[0] ? ": virtual machine" : "");
	else
		snprintf(out, size, "events: os");
}

char *sd_headline(const struct sd_record *r, const struct sd_analysis *a)
{
	char *command = sd_page_command(&r->program.argv), *out = NULL;
	char runs[64], events[128], granted[64] = "imported";

	runs_text(a, runs, sizeof runs);
	events_text(r, events, sizeof events);
	if (r->host.granted > 0) /* a record from elsewhere does not know */
		snprintf(granted, sizeof granted, "%u CPU%s granted", r->host.granted,
			r->host.granted == 1 ? "" : "s");
	if (asprintf(&out, "%s · %s scaling%s · %s · %s · %s", command ? command : "?",
		    r->program.scaling == SD_SCALING_WEAK ? "weak" : "strong",
		    r->program.rate ? " by the printed throughput" : "", runs, granted, events) < 0)
		out = NULL;
	free(command);
	return out;
}

char *sd_headline_answer(const struct sd_record *r, const struct sd_analysis *a, enum sd_tone *tone)
{
	const int more_work = r->program.rate || r->program.scaling == SD_SCALING_WEAK;
	const int warned = a->warnings.n > 0 || r->warnings.n > 0;
	const struct sd_point *pt = a->n_point ? &a->point[a->n_point - 1] : NULL;
	char half[32], whole[96] = "", *out = NULL;
	int n;

	*tone = a->scales == SD_SCALES_YES  ? SD_TONE_GOOD
		: a->scales == SD_SCALES_NO ? SD_TONE_BOLD
					    : SD_TONE_DOUBT;
	if (!pt) {
		*tone = SD_TONE_PLAIN;
		n = asprintf(&out, "No run came to a good end: there is nothing to report.");
		return n < 0 ? NULL : out;
	}
	if (a->n_point < 2 || !sd_interval_text_has(pt->speedup) ||
		!sd_interval_text_has(pt->efficiency)) {
		*tone = SD_TONE_PLAIN;
		n = asprintf(&out, "Nothing to compare: only one core count has finished runs.");
		return n < 0 ? NULL : out;
	}
	sd_interval_text_half(half, sizeof half, pt->efficiency, pt->runs, 100, 1);
	if (sd_interval_text_has(a->whole)) {
		char more[32];

		sd_interval_text_half(more, sizeof more, a->whole, pt->runs, 100, 1);
		snprintf(whole, sizeof whole, ", %.0f %% (±%s) on cores that nobody else uses",
			100 * a->whole.value, more);
	}
	n = asprintf(&out, "%s: %.2fx%s on %u cores, efficiency %.0f %% (±%s)%s%s",
		a->scales == SD_SCALES_YES  ? "It scales"
		: a->scales == SD_SCALES_NO ? "It does not scale"
					    : "Undecided whether it scales",
		pt->speedup.value, more_work ? " the throughput" : "", pt->cores,
		100 * pt->efficiency.value, half, whole,
		a->scales != SD_SCALES_UNKNOWN ? "."
		: warned                       ? "; see the warnings."
					       : "; more runs (--repeats) narrow it.");
	return n < 0 ? NULL : out;
}
