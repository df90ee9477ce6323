/*
 * A PMU behind the seam of probes/perf_event/perf_event.h: n counters of one process and its CPUs,
 * which take turns when there are more events, and the kernel's refusals. Linked instead of
 * probes/perf_event/perf_event.c.
 */
#ifndef FAKEPMU_H
#define FAKEPMU_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf_event/perf_event.h"

#define FAKE_EVENTS 4096
#define FAKE_FD 1000
#define FAKE_NS 10000000u /* that every counter was enabled */

/* An offcore response event: there is one extra register for each of two. */
#define FAKE_OFFCORE 0x1b7
#define FAKE_OFFCORE_REGISTERS 2

static struct fake_pmu {
	unsigned counters;
	unsigned held;        /* of them, by others (NMI watchdog) */
	unsigned files;       /* that may be open at once; 0 = any number */
	int error;            /* of every open; 0 = none */
	int no_system;        /* no CPU-wide counting */
	uint64_t unknown;     /* ENOENT for this event; 0 = none */
	uint64_t stopped;     /* this event never moves */
	uint64_t backwards;   /* this event's CPU-wide counter loses counts */
	uint64_t wrapped;     /* this event reads as if 2^64 were near */
	uint64_t unscheduled; /* this event never runs */
	pid_t ended, asleep;  /* no such thread any more; this one does not run */
	uint64_t fixed[16];   /* these events have counters of their own */
	/* what was seen */
	unsigned opened, open, most_open;
	struct fake_event {
		struct perf_event_attr attr;
		pid_t pid;
		int cpu, group, used, on; /* on: was started */
	} event[FAKE_EVENTS];
} fake;

static inline int fake_leader(int i)
{
	return fake.event[i].group < 0 ? i : fake.event[i].group;
}

static inline int fake_is_fixed(const struct perf_event_attr *attr)
{
	for (size_t i = 0; i < sizeof fake.fixed / sizeof *fake.fixed; i++)
		if (fake.fixed[i] && fake.fixed[i] == attr->config)
			return 1;
	return 0;
}

/* Counters that the group of event i needs, and different offcore requests in it. */
static inline unsigned fake_group(int leader, unsigned *offcore)
{
	unsigned n = 0;

	*offcore = 0;
	for (int i = 0; i < FAKE_EVENTS; i++)
		if (fake.event[i].used && fake_leader(i) == leader) {
			n += !fake_is_fixed(&fake.event[i].attr);
			*offcore += fake.event[i].attr.config == FAKE_OFFCORE;
		}
	return n;
}

/* Events of one thread, or of the tree below it: those of others take no turns with them. */
static inline unsigned fake_tree_events(pid_t pid)
{
	unsigned n = 0;

	for (int i = 0; i < FAKE_EVENTS; i++)
		n += fake.event[i].used && fake.event[i].pid == pid && pid >= 0 &&
		     !fake_is_fixed(&fake.event[i].attr);
	return n;
}

int sd_perf_event_open_in(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	unsigned offcore, size;
	int i = 0;

	fake.opened++;
	if (fake.error)
		return fake.error;
	if (attr->config == fake.unknown && fake.unknown)
		return -ENOENT;
	if (pid < 0 && fake.no_system)
		return -EACCES;
	if (pid > 0 && pid == fake.ended)
		return -ESRCH;
	if (fake.files && fake.open >= fake.files)
		return -EMFILE;
	while (i < FAKE_EVENTS && fake.event[i].used)
		i++;
	if (i == FAKE_EVENTS)
		abort();
	if (group >= 0 && !fake.event[group - FAKE_FD].used)
		return -EBADF;
	fake.event[i] = (struct fake_event){.attr = *attr,
		.pid = pid,
		.cpu = cpu,
		.group = group < 0 ? -1 : group - FAKE_FD,
		.used = 1,
		.on = !attr->disabled || attr->enable_on_exec};
	size = fake_group(fake_leader(i), &offcore);
	if (pid >= 0 && (size > fake.counters || offcore > FAKE_OFFCORE_REGISTERS)) {
		fake.event[i].used = 0;
		return -EINVAL; /* validate_group() of the kernel: it could never be scheduled */
	}
	fake.open++;
	if (fake.open > fake.most_open)
		fake.most_open = fake.open;
	return FAKE_FD + i;
}

int sd_perf_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return sd_perf_event_open_in(attr, pid, cpu, -1);
}

/* How long event i ran: a group is on the counters together or not at all; single events take
 * turns. */
static inline uint64_t fake_running(int i)
{
	const unsigned room = fake.counters > fake.held ? fake.counters - fake.held : 0;
	const unsigned events = fake_tree_events(fake.event[i].pid);
	unsigned offcore;

	if (fake.event[i].attr.config == fake.unscheduled && fake.unscheduled)
		return 0;
	if (fake.event[i].pid < 0)
		return FAKE_NS;
	if (fake_group(fake_leader(i), &offcore) > room)
		return 0;
	return events <= room ? FAKE_NS : (uint64_t)FAKE_NS * room / events;
}

/* A counter moves by its config in every microsecond that it runs. */
int sd_perf_event_read(int fd, struct sd_counter_read_reading *r)
{
	struct fake_event *e = &fake.event[fd - FAKE_FD];
	const uint64_t config = e->attr.config;

	*r = (struct sd_counter_read_reading){0};
	if (!e->on || (e->pid > 0 && e->pid == fake.asleep)) {
		r->value = config == fake.backwards ? 5000 : 7;
		return 0;
	}
	r->enabled = FAKE_NS;
	r->running = fake_running(fd - FAKE_FD);
	r->value = config == fake.stopped && config ? 0 : r->running / 1000 * (config ? config : 1);
	if (e->pid < 0 || (e->pid > 0 && !e->attr.enable_on_exec))
		r->value = config == fake.backwards ? 100 : r->value + 7;
	if (config == fake.wrapped && fake.wrapped)
		r->value = UINT64_MAX - 5;
	return 0;
}

int sd_perf_event_switch(int fd, int on)
{
	fake.event[fd - FAKE_FD].on |= on;
	return 0;
}

/* Nothing that is counted alone, as watchpoints are, happens here. */
int sd_perf_event_count(int fd, uint64_t *count, uint64_t *lost)
{
	(void)fd;
	*count = *lost = 0;
	return 0;
}

int sd_perf_event_refresh(int fd, int samples)
{
	(void)fd;
	(void)samples;
	return 0;
}

int sd_perf_event_pace(int fd, uint64_t hz)
{
	(void)fd;
	(void)hz;
	return 0;
}

void sd_perf_event_close(int fd)
{
	if (fd < 0)
		return;
	if (!fake.event[fd - FAKE_FD].used)
		abort(); /* closed twice */
	fake.event[fd - FAKE_FD].used = 0;
	fake.open--;
}

#endif
