#include "options/experiment_list.h"

#include <stdio.h>
#include <string.h>

#include "record/experiment.h"

enum { INDENT = 18, COLUMNS = 79 };

/* Word by word, from `column` on, each after a space; the column it ends in. ASCII. */
static size_t put_words(FILE *f, const char *text, size_t column)
{
	while (*text) {
		const size_t n = strcspn(text, " ");

		if (column + 1 + n > COLUMNS) {
			fprintf(f, "\n%*s", INDENT, "");
			column = INDENT;
		}
		fprintf(f, " %.*s", (int)n, text);
		column += 1 + n;
		text += n + strspn(text + n, " ");
	}
	return column;
}

void sd_experiment_list_help(FILE *f)
{
	static const char *const at[] = {[SD_EXPERIMENT_AT_REFERENCE] = "at the smallest count",
		[SD_EXPERIMENT_AT_LARGEST] = "at the largest count",
		[SD_EXPERIMENT_AT_BOTH] = "at the smallest and the largest count"};

	fputs("Experiments, each 3 to 10 pairs of a plain and a changed run:\n", f);
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++) {
		const struct sd_experiment_info *const e = &sd_experiment_info[i];
		char takes[128] = "(a second or two; the program is not in it)";

		fprintf(f, "  %-16s", e->name);
		if (e->cost > 1)
			snprintf(takes, sizeof takes,
				"(%s; a changed run takes about %.2g plain ones)", at[e->at],
				e->cost);
		else if (e->cost > 0)
			snprintf(takes, sizeof takes,
				"(%s; a changed run takes as long as a plain one)", at[e->at]);
		put_words(f, takes, put_words(f, e->does, INDENT));
		fputc('\n', f);
	}
}
