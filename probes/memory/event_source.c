#include "probe/event_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory/access_state.h"
#include "perf_event/counter_read.h"
#include "perf_event/perf_event.h"
#include "pmu/counter_set.h"

/* From the sample at the event itself to any (perf_event_open(2)). On x86 the kernel refuses what
 * the PMU does not have for an event; elsewhere it takes any number, and has none (seen with ARM's
 * PMUv3 and Linux 6.1). */
#ifdef __x86_64__
#define PRECISE 2
#else
#define PRECISE 0
#endif

/* Opens it once on this process. */
static int try(const struct perf_event_attr *attr)
{
	const int fd = sd_perf_event_open(attr, 0, -1);

	if (fd < 0)
		return fd;
	sd_perf_event_close(fd);
	return 0;
}

/* As precise as it goes. */
static int settle(struct perf_event_attr *attr)
{
	int rc;

	attr->precise_ip = PRECISE;
	rc = try(attr);
	if (rc && attr->precise_ip) {
		attr->precise_ip = 0;
		rc = try(attr);
	}
	return rc;
}

static int settle_role(
	struct sd_memevent *to, const struct sd_role_events_role *role, uint64_t period)
{
	for (size_t i = 0; i < role->n; i++) {
		const struct sd_role_events_event *const e = &role->event[i];

		to[i] = (struct sd_memevent){
			.attr = e->attr, .role = role->count.role, .weight = e->weight};
		to[i].attr.sample_type = SD_MEM_SAMPLE_CODE;
		to[i].attr.sample_period = period;
		to[i].attr.read_format = SD_COUNTER_READ_FORMAT;
		if (settle(&to[i].attr))
			return -ENODEV;
	}
	return 0;
}

/* Events of the tree's own, that follow no leader. */
static const struct sd_role_events_role *find(const struct sd_counting *c, enum sd_role id)
{
	for (size_t i = 0; i < c->n_role; i++) {
		const struct sd_role_events_role *const r = &c->role[i];

		if (r->count.role == id && sd_has(r->count.value) && r->event &&
			r->where == SD_ROLE_EVENTS_TREE && r->leader == SD_ROLE_COUNT)
			return r;
	}
	return NULL;
}

int sd_event_source_open(struct sd_memsource **out, const struct sd_counting *c,
	const struct sd_event_ask *ask, size_t n)
{
	struct sd_memsource *s = calloc(1, sizeof *s);

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->by_code = 1;
	s->line = SD_SIM_LINE;
	snprintf(s->name, sizeof s->name, "%s", c->source);
	for (size_t i = 0; i < n; i++) {
		const struct sd_role_events_role *const r = find(c, ask[i].role);

		if (r && s->n + r->n <= SD_MEMSOURCE_EVENTS &&
			settle_role(&s->event[s->n], r, ask[i].period) == 0)
			s->n += r->n;
	}
	if (s->n) {
		*out = s;
		return 0;
	}
	sd_access_source_free(s);
	return -ENODEV;
}
