#include "resolve/stack_activity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/wait_match.h"

static int make_room(struct sd_stack_resolve *p, unsigned node)
{
	size_t room = p->room ? p->room : 1024;
	unsigned char *grown;

	while (room <= node)
		room *= 2;
	if (room == p->room)
		return 0;
	grown = realloc(p->running, room);
	if (!grown)
		return -ENOMEM;
	p->running = grown;
	grown = realloc(p->blocked, room);
	if (!grown)
		return -ENOMEM;
	p->blocked = grown;
	grown = realloc(p->enters, room);
	if (!grown)
		return -ENOMEM;
	p->enters = grown;
	memset(p->running + p->room, 0, room - p->room);
	memset(p->blocked + p->room, 0, room - p->room);
	memset(p->enters + p->room, 0, room - p->room);
	p->room = room;
	return 0;
}

unsigned sd_stack_activity_enters(
	struct sd_stack_resolve *p, unsigned node, enum sd_wait_match_enters what)
{
	for (; node; node = p->stacks->node[node].parent) {
		if (make_room(p, node))
			return 0;
		if (!p->enters[node])
			p->enters[node] = (unsigned char)(sd_wait_match_enters_at(
								  &p->rules, p->stacks, node) +
							  1);
		if (p->enters[node] == what + 1)
			return node;
	}
	return 0;
}

unsigned sd_stack_activity_task(struct sd_stack_resolve *p, unsigned node)
{
	const unsigned at = sd_stack_activity_enters(p, node, SD_WAIT_MATCH_SCHEDULER);

	return at ? p->stacks->node[at].parent : 0;
}

enum sd_activity sd_stack_activity(struct sd_stack_resolve *p, unsigned node, int blocked)
{
	unsigned char *known;

	if (make_room(p, node))
		return blocked ? SD_ACTIVITY_UNKNOWN : SD_ACTIVITY_USEFUL;
	known = blocked ? &p->blocked[node] : &p->running[node];
	if (!*known)
		*known = (unsigned char)(sd_wait_match_activity(
						 &p->rules, p->stacks, node, blocked) +
					 1);
	return (enum sd_activity)(*known - 1);
}
