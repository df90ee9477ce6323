#include "pmu/chosen_roles.h"

#include <errno.h>
#include <stdlib.h>

size_t sd_chosen_roles_find(const struct sd_counting *c, enum sd_role role)
{
	for (size_t i = 0; i < c->n_role; i++)
		if (c->role[i].count.role == role)
			return i;
	return SD_COUNTER_PASSES_NO_LEADER;
}

static void move_role(
	struct sd_counting *from, enum sd_role role, struct sd_role_events_role *to, size_t *n)
{
	const size_t at = sd_chosen_roles_find(from, role);

	if (at == SD_COUNTER_PASSES_NO_LEADER)
		return;
	to[(*n)++] = from->role[at];
	from->role[at] =
		(struct sd_role_events_role){.count.role = SD_ROLE_COUNT, .leader = SD_ROLE_COUNT};
}

int sd_chosen_roles_keep(
	struct sd_counting *c, const enum sd_role *chosen, size_t n, int (*keep)(enum sd_role))
{
	struct sd_role_events_role *role = calloc(c->n_role + 1, sizeof *role);
	size_t kept = 0;

	if (!role)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		move_role(c, chosen[i], role, &kept);
	for (size_t i = 0; i < kept; i++)
		if (role[i].leader != SD_ROLE_COUNT)
			move_role(c, role[i].leader, role, &kept);
	for (size_t i = 0; i < c->n_role; i++)
		if (c->role[i].count.role != SD_ROLE_COUNT &&
			(keep(c->role[i].count.role) || !sd_has(c->role[i].count.value)))
			move_role(c, c->role[i].count.role, role, &kept);
		else
			sd_role_events_free(&c->role[i]);
	free(c->role);
	c->role = role;
	c->n_role = kept;
	return 0;
}
