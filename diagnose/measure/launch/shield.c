#include "launch/shield.h"

#include <unistd.h>

int sd_shield_open(struct sd_shield *s)
{
	int rc = sd_private_cgroup_weight(&s->program);

	s->self = (struct sd_private_cgroup){0};
	if (!rc)
		rc = sd_private_cgroup_weight(&s->self);
	if (!rc)
		rc = sd_private_cgroup_add(&s->self, getpid());
	if (rc)
		sd_shield_close(s);
	return rc;
}

int sd_shield_add(const struct sd_shield *s, pid_t pid)
{
	return s && s->program.path[0] && sd_private_cgroup_add(&s->program, pid) == 0;
}

void sd_shield_close(struct sd_shield *s)
{
	/* what is in them goes back to the parent; one that stays is removed by the next start */
	(void)sd_private_cgroup_close(&s->program);
	(void)sd_private_cgroup_close(&s->self);
}
