#include <stdio.h>
#include <stdlib.h>

#include "comparison/comparison_report.h"
#include "page/interval_text.h"

/* An interval of ratios, its ends this far apart, says nothing of a small change. */
#define WIDE 1.2

char *sd_comparison_sentence(const struct sd_comparison *c)
{
	const struct sd_compared_point *p = c->n_point ? &c->point[c->n_point - 1] : NULL;
	const char *const plural = p && p->cores == 1 ? "" : "s";
	const char *const by = c->work > 0 ? ", by throughput" : "";
	char *out = NULL;
	int n;

	if (!p || !sd_interval_text_has(p->gain))
		n = asprintf(&out, "No core count was timed in both records");
	else if (c->same_runs)
		n = asprintf(&out, "No difference: both records hold the same runs");
	else if (p->time == SD_CHANGE_UNKNOWN)
		n = asprintf(&out,
			"%.3fx at %u core%s, but one run has no interval: nothing can be said",
			p->gain.value, p->cores, plural);
	else if (p->time == SD_CHANGE_NOISE && p->gain.high > WIDE * p->gain.low)
		n = asprintf(&out,
			"Inconclusive at %u core%s: %.2fx %s, but the runs vary too much to tell (95 "
			"%%: %.2f to %.2f)%s",
			p->cores, plural, p->gain.value < 1 ? 1 / p->gain.value : p->gain.value,
			p->gain.value < 1 ? "slower" : "faster", p->gain.low, p->gain.high, by);
	else if (p->time == SD_CHANGE_NOISE)
		n = asprintf(&out,
			"No difference beyond noise at %u core%s: %.3fx (95 %%: %.3f to %.3f)%s",
			p->cores, plural, p->gain.value, p->gain.low, p->gain.high, by);
	else if (p->time == SD_CHANGE_LESS)
		n = asprintf(&out, "%.2fx faster at %u core%s (95 %%: %.2f to %.2f)%s",
			p->gain.value, p->cores, plural, p->gain.low, p->gain.high, by);
	else
		n = asprintf(&out, "%.2fx slower at %u core%s (95 %%: %.2f to %.2f)%s",
			1 / p->gain.value, p->cores, plural, 1 / p->gain.high, 1 / p->gain.low, by);
	return n < 0 ? NULL : out;
}

const char *sd_comparison_fate(enum sd_fate fate)
{
	static const char *const words[] = {
		[SD_FATE_NEVER] = "never",
		[SD_FATE_WENT] = "gone",
		[SD_FATE_CAME] = "new",
		[SD_FATE_STAYED] = "stays",
		[SD_FATE_SHRANK] = "less",
		[SD_FATE_UNKNOWN] = "open",
	};

	return words[fate];
}

/* "Gone: serial code. " */
static void put_fate(FILE *f, const struct sd_comparison *c, enum sd_fate fate, const char *head)
{
	int n = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		/* what others did on the machine is nothing that the change did */
		if (c->cause[i].fate == fate && c->cause[i].cause != SD_CAUSE_NOISE)
			fprintf(f, "%s%s", n++ ? ", " : head,
				sd_cause_info[c->cause[i].cause].label);
	fputs(n ? ". " : "", f);
}

char *sd_comparison_moved(const struct sd_comparison *c)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_fate(f, c, SD_FATE_WENT, "Gone: ");
	put_fate(f, c, SD_FATE_SHRANK, "Less: ");
	put_fate(f, c, SD_FATE_CAME, "New: ");
	if (fclose(f) == 0) {
		if (size)
			text[size - 1] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

void sd_comparison_verdicts(const struct sd_compared_cause *x, char out[SD_COMPARISON_VERDICTS])
{
	if (x->fate == SD_FATE_SHRANK && sd_interval_text_has(x->cores_before))
		snprintf(out, SD_COMPARISON_VERDICTS, "%s before, %.2f cores; at most %.2f now",
			sd_verdict_label[x->before], x->cores_before.value, x->most_after);
	else if (x->before == x->after)
		snprintf(out, SD_COMPARISON_VERDICTS, "%s before and now",
			sd_verdict_label[x->after]);
	else
		snprintf(out, SD_COMPARISON_VERDICTS, "%s before, %s now",
			sd_verdict_label[x->before], sd_verdict_label[x->after]);
}

struct sd_interval sd_comparison_amount(const struct sd_comparison *c, struct sd_interval time)
{
	return c->work > 0 ? sd_analysis_inverse(c->work, time) : time;
}
