#include "record/simulated.h"

#include <stdlib.h>

const char *const sd_sim_sharing_name[SD_SIM_UNTOLD + 1] = {[SD_SIM_TRUE] = "true",
	[SD_SIM_FALSE] = "false",
	[SD_SIM_MIXED] = "mixed",
	[SD_SIM_UNTOLD] = "unknown"};

const struct sd_sim_costs sd_sim_costs_usual = {
	.l2 = 14, .llc = 50, .memory = 200, .transfer = 100, .walk = 30};

const struct sd_sim_costs *sd_sim_costs_charged(const struct sd_sim_costs *plan)
{
	return plan && plan->hz > 0 ? plan : &sd_sim_costs_usual;
}

const char *const sd_object_language_name[SD_OBJECT_GO + 1] = {"other", "c", "c++", "rust", "go"};
const char *const sd_object_storage_name[SD_OBJECT_HEAP + 1] = {"static", "stack", "heap"};

void sd_sim_contested_free(struct sd_sim_contested *c)
{
	free(c->sharer);
	free(c->code);
	for (size_t i = 0; i < c->n_object; i++)
		free(c->object[i].member);
	free(c->object);
}

void sd_simulated_free(struct sd_simulated *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_contested; i++)
		sd_sim_contested_free(&s->contested[i]);
	free(s->thread);
	free(s->contested);
	free(s->loop);
	free(s->block);
	free(s->race);
	free(s->conflict);
	free(s);
}
