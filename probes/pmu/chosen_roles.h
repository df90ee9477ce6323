/* Which of the roles that were looked at are counted, in which order. */
#ifndef SD_CHOSEN_ROLES_H
#define SD_CHOSEN_ROLES_H

#include "pmu/counter_set.h"

/* Index of a role in c->role[]; SD_COUNTER_PASSES_NO_LEADER: it is not there. */
size_t sd_chosen_roles_find(const struct sd_counting *c, enum sd_role role);

/*
 * Leaves in c->role[] the chosen roles in their order, then those that lead them, those that `keep`
 * names, and those that cannot be counted, with the reason. 0 or -ENOMEM (nothing changed).
 */
int sd_chosen_roles_keep(
	struct sd_counting *c, const enum sd_role *chosen, size_t n, int (*keep)(enum sd_role));

#endif
