#include "strangers.h"

#include <errno.h>
#include <stdlib.h>

int sd_strangers_add(struct sd_strangers *s)
{
	struct sd_stranger *const grown = reallocarray(s->on, s->n + 1, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	s->on = grown;
	s->on[s->n++] = (struct sd_stranger){0};
	return 0;
}

void sd_strangers_forget(struct sd_strangers *s)
{
	s->n = 0;
	s->ns = 0;
}

void sd_strangers_event(
	struct sd_strangers *s, size_t cpu, const struct sd_event *e, int own, pid_t self)
{
	struct sd_stranger *const on = &s->on[cpu];

	if (e->kind == SD_EVENT_SWITCH_OUT && on->tid && on->tid == e->tid)
		s->ns += e->time - on->since;
	if (e->kind != SD_EVENT_SWITCH_OUT && e->kind != SD_EVENT_SWITCH_IN)
		return;
	*on = (struct sd_stranger){0};
	if (e->kind == SD_EVENT_SWITCH_IN && !own && e->tid && e->pid != self)
		*on = (struct sd_stranger){.tid = e->tid, .since = e->time};
}

void sd_strangers_free(struct sd_strangers *s)
{
	free(s->on);
	*s = (struct sd_strangers){0};
}
