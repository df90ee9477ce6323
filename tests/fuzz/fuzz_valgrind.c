/* Any bytes as what Helgrind writes: no crash, no leak, and every node is in the table. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/valgrind_races.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_stacks stacks = {0};
	struct sd_experiment_run run = {0};
	char *const text = malloc(size ? size : 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	(void)sd_valgrind_races_add(text, size, &stacks, &run);
	for (size_t i = 0; i < run.n_race; i++)
		for (int k = 0; k < 2; k++)
			if (run.race[i].node[k] && run.race[i].node[k] >= stacks.n_node)
				abort();
	if (run.n_race > SD_RACES || run.n_race > run.n_race_seen)
		abort();
	free(run.race);
	sd_stacks_free(&stacks);
	free(text);
	return 0;
}
