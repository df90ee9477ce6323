#include "options/experiment_list.h"

#include "record/experiment.h"

void sd_experiment_list_help(FILE *f)
{
	static const char *const at[] = {[SD_EXPERIMENT_AT_REFERENCE] = "at the smallest count",
		[SD_EXPERIMENT_AT_LARGEST] = "at the largest count",
		[SD_EXPERIMENT_AT_BOTH] = "at the smallest and the largest count"};

	fputs("Experiments, each 3 to 10 pairs of a plain and a changed run:\n", f);
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++) {
		const struct sd_experiment_info *const e = &sd_experiment_info[i];

		fprintf(f, "  %-16s %s\n  %16s ", e->name, e->does, "");
		if (e->cost > 0)
			fprintf(f, "(%s; a changed run takes about %.2g plain one%s)\n", at[e->at],
				e->cost, e->cost > 1 ? "s" : "");
		else
			fputs("(a second or two; the program is not in it)\n", f);
	}
}
