#include "probe/access_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/access_state.h"
#include "base/number.h"
#include "perf_event/perf_event.h"
#include "pmu/pmu_status.h"
#include "pmu/role_events.h"
#include "proc/textfile.h"

/* Samples a second, CPU and event, where the kernel keeps a rate: a tenth of what perf c2c takes,
 * and a thousandth of a busy CPU's time. */
#define RATE 1000

/* A data address comes with precise events alone: 2 asks for no skid (perf_event_open(2)). */
#define PRECISE 2

#define LINE 64

/* Looking. */
struct look {
	struct sd_memsource *out;
	const struct sd_role_events_machine *machine;
	char *why;
	size_t size;
};

/* ---- encoding -------------------------------------------------------------------------------- */

static int encode(
	struct look *l, const struct sd_event_map *from, const struct sd_map_event *e, int leads)
{
	struct sd_memevent *const to = &l->out->event[l->out->n];
	struct sd_pmuboxes boxes = {0};
	struct sd_event_code code = {0};
	int rc = sd_event_encode(from, e, &code);

	if (!rc && e->pmu)
		rc = sd_uncore_pmus_read(&boxes, e->pmu, l->machine->root);
	if (!rc)
		to->attr = (struct perf_event_attr){.size = sizeof to->attr,
			.type = e->pmu ? boxes.box[0].type : code.type,
			.config = code.config,
			.config1 = code.config1,
			.config2 = code.config2,
			.sample_type = leads ? 0 : SD_MEM_SAMPLE,
			.precise_ip = leads || e->pmu ? 0 : PRECISE,
			.disabled = 1,
			.exclude_kernel = 1,
			.exclude_hv = 1};
	sd_uncore_pmus_free(&boxes);
	if (rc)
		return rc;
	if (e->period)
		to->attr.sample_period = e->period;
	else if (!leads) {
		to->attr.freq = 1;
		to->attr.sample_freq = RATE;
	}
	l->out->n++;
	return 0;
}

/* The first event of a role; *role may be NULL: the map has none, for the reason in *l. */
static int encode_role(struct look *l, enum sd_role id, int leads, const struct sd_map_role **role)
{
	const struct sd_event_map *from = NULL;
	const struct sd_map_role *r =
		sd_event_map_set_role(l->machine->maps, l->machine->map, id, &from);
	int rc;

	*role = r && r->n ? r : NULL;
	if (!*role) {
		snprintf(l->why, l->size, "%s",
			r && r->none ? r->none : "no event of this CPU samples loads");
		return -ENODEV;
	}
	rc = encode(l, from, &r->events[0], leads);
	if (rc == -ENOENT)
		snprintf(l->why, l->size, "the kernel has no PMU %s",
			r->events[0].pmu ? r->events[0].pmu : "");
	else if (rc)
		snprintf(l->why, l->size, "%s: libpfm4 does not encode it here", sd_role_name(id));
	return rc == -ENOENT || rc == -ENOTSUP ? -ENODEV : rc;
}

/* ---- trying ---------------------------------------------------------------------------------- */

/* Opens and closes events [from, to) on this process, or on its CPU. */
static int try(const struct sd_memsource *s, size_t from, size_t to)
{
	int fd[SD_MEMSOURCE_EVENTS], last = -1, rc = 0;
	size_t n = from;

	for (; n < to && !rc; n++) {
		last = sd_perf_event_open_in(&s->event[n].attr, s->wide ? -1 : 0, s->wide ? 0 : -1,
			s->event[n].follows ? last : -1);
		rc = last < 0 ? last : 0;
		fd[n] = last;
	}
	while (n-- > from)
		sd_perf_event_close(fd[n]);
	return rc;
}

/*
 * A PMU of its own may not tell modes apart (IBS before Linux 6.2 has no swfilt), nor follow tasks
 * (before 6.1): what is refused so (EINVAL) is asked for more widely, which takes more rights.
 */
static int try_own(struct sd_memsource *s)
{
	int rc = try(s, 0, s->n);

	if (rc != -EINVAL)
		return rc;
	s->event[0].attr.exclude_kernel = s->event[0].attr.exclude_hv = 0;
	s->event[0].attr.config2 = 0;
	rc = try(s, 0, s->n);
	if (rc != -EINVAL)
		return rc;
	s->wide = 1;
	return try(s, 0, s->n);
}

static int judge(struct look *l, int rc)
{
	if (rc == -EACCES || rc == -EPERM) {
		snprintf(l->why, l->size, "%s is forbidden to this user%s", l->out->name,
			l->out->event[0].attr.exclude_kernel
				? ""
				: ": the kernel cannot leave itself out of the samples");
		return -EACCES;
	}
	if (rc && rc != -ENOMEM) {
		snprintf(l->why, l->size, "the kernel refuses %s: %s", l->out->name, strerror(-rc));
		return -ENOTSUP;
	}
	return rc;
}

/* ---- the two kinds --------------------------------------------------------------------------- */

/* IBS or SPE. */
static int look_own(struct look *l)
{
	const struct sd_map_role *role;
	int rc = encode_role(l, SD_ROLE_SAMPLE_ACCESS, 0, &role);

	if (rc)
		return rc;
	snprintf(l->out->name, sizeof l->out->name, "%.60s", role->events[0].pmu);
	l->out->spe = role->events[0].spe;
	l->out->peers = role->peers;
	l->out->far_peers = role->far_peers;
	return judge(l, try_own(l->out));
}

/* Precise events of the core. Stores are not worth failing for. */
static int look_core(struct look *l)
{
	const struct sd_map_role *load, *store, *leader = NULL;
	size_t loads;
	int rc = 0;

	load = sd_event_map_set_role(l->machine->maps, l->machine->map, SD_ROLE_SAMPLE_LOAD, NULL);
	if (load && load->n && load->leader != SD_ROLE_COUNT)
		rc = encode_role(l, load->leader, 1, &leader);
	if (!rc)
		rc = encode_role(l, SD_ROLE_SAMPLE_LOAD, 0, &load);
	if (rc)
		return rc;
	l->out->event[l->out->n - 1].follows = leader != NULL;
	loads = l->out->n;
	snprintf(l->out->name, sizeof l->out->name, "mem-loads");
	rc = judge(l, try(l->out, 0, loads));
	if (rc)
		return rc;
	if (encode_role(l, SD_ROLE_SAMPLE_STORE, 0, &store) || try(l->out, loads, l->out->n))
		l->out->n = loads;
	else
		snprintf(l->out->name, sizeof l->out->name, "mem-loads, mem-stores");
	return 0;
}

static unsigned line_of(const char *root)
{
	char text[32];
	uint64_t bytes;

	if (sd_textfile_read(root, "/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size",
		    text, sizeof text) ||
		sd_number_u64(text, 16, 4096, &bytes) < 0 || (bytes & (bytes - 1)))
		return LINE;
	return (unsigned)bytes;
}

static int has_own(const struct sd_role_events_machine *m)
{
	const struct sd_map_role *const r =
		sd_event_map_set_role(m->maps, m->map, SD_ROLE_SAMPLE_ACCESS, NULL);

	return r && r->n;
}

int sd_access_source_open(
	struct sd_memsource **out, const char *root, const char *maps, char *why, size_t size)
{
	struct sd_eventmaps loaded = {0};
	struct sd_role_events_machine m = {.maps = &loaded, .root = root ? root : ""};
	struct look l = {.out = calloc(1, sizeof *l.out), .machine = &m, .why = why, .size = size};
	int rc = l.out ? 0 : -ENOMEM;

	*out = NULL;
	snprintf(why, size, "%s", rc ? "out of memory" : "");
	/* where there is no PMU, the start need not wait for the maps */
	if (!rc && !*m.root && sd_pmu_status_find(NULL) == SD_STATUS_UNSUPPORTED) {
		snprintf(why, size, "no hardware counters");
		rc = -ENODEV;
	}
	if (!rc && sd_event_encode_open() < 0)
		rc = -ENODEV;
	if (!rc)
		rc = sd_role_events_find_map(&m, &loaded, maps, NULL);
	if (!rc) {
		l.out->line = line_of(m.root);
		rc = has_own(&m) ? look_own(&l) : look_core(&l);
	}
	sd_event_map_set_free(&loaded);
	if (rc)
		sd_access_source_free(l.out);
	else
		*out = l.out;
	return rc;
}

void sd_access_source_free(struct sd_memsource *s)
{
	free(s);
}

const char *sd_access_source_name(const struct sd_memsource *s)
{
	return s->name;
}
