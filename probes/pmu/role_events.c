#include "pmu/role_events.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_event/counter_read.h"
#include "proc/textfile.h"

static const char devices[] = "/sys/bus/event_source/devices";

/* The numbers that a bit of PMCEID0 or PMCEID1 stands for. */
static int is_common(uint64_t code)
{
	return code < 0x40 || (code >= 0x4000 && code < 0x4040);
}

/* The kernel's name of the PMU of ARM cores, whatever its model. */
static int is_arm_core(const char *name)
{
	return strncmp(name, "armv8_", 6) == 0 || strncmp(name, "armv9_", 6) == 0;
}

/* Whether the file says "event=0x0011", this code. */
static int file_has(const char *root, const char *pmu, const char *event, uint64_t code)
{
	char path[768], text[64];

	snprintf(path, sizeof path, "%s/%s/events/%s", devices, pmu, event);
	return !sd_textfile_read(root, path, text, sizeof text) &&
	       strncmp(text, "event=0x", 8) == 0 && strtoull(text + 8, NULL, 16) == code;
}

/* 1 listed, 0 not, -1: the PMU lists nothing. */
static int is_listed(const char *root, const char *pmu, uint64_t code)
{
	char path[512];
	struct dirent *e;
	int found = -1;
	DIR *d;

	snprintf(path, sizeof path, "%s%s/%s/events", root, devices, pmu);
	d = opendir(path);
	while (d && found < 1 && (e = readdir(d)))
		if (*e->d_name != '.')
			found = file_has(root, pmu, e->d_name, code);
	if (d)
		closedir(d);
	return found;
}

/*
 * An ARM PMU accepts any event number and counts 0 for events it lacks. The kernel lists in sysfs
 * which common events (Arm ARM: those covered by PMCEID0 and PMCEID1) are implemented. 1: `code` is
 * a common event but not listed, so it would count nothing. 0: listed, or not a common event, or
 * there is no such PMU here. `root` is the prefix of /sys.
 */
static int lacks_common_event(const char *root, uint64_t code)
{
	char path[512];
	struct dirent *e;
	int lack = 0;
	DIR *d;

	if (!is_common(code))
		return 0;
	snprintf(path, sizeof path, "%s%s", root ? root : "", devices);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (is_arm_core(e->d_name))
			lack |= is_listed(root ? root : "", e->d_name, code) == 0;
	if (d)
		closedir(d);
	return lack;
}

/*
 * User mode only, on the tree: the useful time that the stack divides is user time, and an
 * unprivileged user may count no more. PMUs outside the cores cannot tell modes apart and refuse
 * those who ask.
 */
static void fill_attr(struct sd_role_events_event *e, enum sd_role_events_where where)
{
	const int tree = where == SD_ROLE_EVENTS_TREE;

	e->attr.size = sizeof e->attr;
	e->attr.read_format = SD_COUNTER_READ_FORMAT;
	e->attr.disabled = 1;
	e->attr.inherit = tree != 0;
	e->attr.enable_on_exec = tree != 0;
	e->attr.exclude_kernel = tree != 0;
	e->attr.exclude_hv = tree != 0;
}

static int encode_event(struct sd_role_events_event *out, const struct sd_role_events_machine *m,
	const struct sd_event_map *from, const struct sd_map_event *event)
{
	struct sd_event_code code = {0};
	const int rc = sd_event_encode(from, event, &code);

	if (rc)
		return rc;
	out->weight = event->weight;
	out->attr.type = code.type;
	out->attr.config = code.config;
	out->attr.config1 = code.config1;
	out->attr.config2 = code.config2;
	if (event->pmu)
		return sd_uncore_pmus_read(&out->boxes, event->pmu, m->root);
	if (!code.has_type)
		return -ENOENT;
	return code.type == PERF_TYPE_RAW && lacks_common_event(m->root, code.config) ? -ENOENT : 0;
}

/* Finds the CPU's map; of a fake tree's CPU, libpfm4 knows nothing. */
int sd_role_events_find_map(struct sd_role_events_machine *m, struct sd_eventmaps *maps,
	const char *dir, const struct sd_sink *sink)
{
	struct sd_texts pmus = {0};
	struct sd_cpuid id;
	int rc = 0;

	sd_cpu_model_read(&id, m->root);
	if (!*m->root)
		rc = sd_event_encode_pmus(&pmus);
	if (rc == 0)
		rc = sd_event_map_set_load_for(maps, dir, &pmus, &id, sink);
	if (rc == 0) {
		m->map = sd_event_map_set_select(maps, &pmus, &id);
		rc = m->map ? 0 : -ENODEV;
	}
	sd_texts_free(&pmus);
	return rc;
}

/* The place of a role's counters. A core that nobody shares is a thread. */
static enum sd_role_events_where place(const struct sd_map_role *role, int smt)
{
	for (size_t i = 0; i < role->n; i++)
		if (role->events[i].pmu)
			return SD_ROLE_EVENTS_SOCKETS;
	if (role->scope == SD_SCOPE_SOCKET)
		return SD_ROLE_EVENTS_SOCKETS;
	return role->scope == SD_SCOPE_CORE && smt ? SD_ROLE_EVENTS_CORES : SD_ROLE_EVENTS_TREE;
}

int sd_role_events_encode(
	struct sd_role_events_role *out, const struct sd_role_events_machine *m, enum sd_role role)
{
	const struct sd_event_map *from = NULL;
	const struct sd_map_role *r = sd_event_map_set_role(m->maps, m->map, role, &from);
	int rc = 0;

	*out = (struct sd_role_events_role){.leader = SD_ROLE_COUNT};
	out->count.role = role;
	out->count.value = SD_NOT(UNSUPPORTED);
	snprintf(out->count.source, sizeof out->count.source, "%s",
		from ? from->family : m->map->family);
	if (!r || r->n == 0)
		return 0;
	out->where = place(r, m->smt);
	out->leader = r->leader;
	out->count.quality = r->quality;
	out->count.sees = sd_event_map_sees(m->map, r);
	out->count.scope = r->scope;
	out->count.shared = out->where != SD_ROLE_EVENTS_TREE;
	out->count.user = out->where == SD_ROLE_EVENTS_TREE;
	out->event = calloc(r->n, sizeof *out->event);
	if (!out->event)
		return -ENOMEM;
	out->n = r->n;
	for (size_t i = 0; !rc && i < r->n; i++) {
		rc = encode_event(&out->event[i], m, from, &r->events[i]);
		fill_attr(&out->event[i], out->where);
	}
	if (rc == -ENOMEM)
		sd_role_events_free(out);
	else if (!rc)
		out->count.value = SD_OK(0);
	return rc == -ENOMEM ? rc : 0;
}

void sd_role_events_free(struct sd_role_events_role *r)
{
	for (size_t i = 0; i < r->n; i++)
		sd_uncore_pmus_free(&r->event[i].boxes);
	free(r->event);
	free(r->modelled);
	*r = (struct sd_role_events_role){0};
}

int sd_role_events_same(const struct sd_role_events_event *a, const struct sd_role_events_event *b)
{
	return a->attr.type == b->attr.type && a->attr.config == b->attr.config &&
	       a->attr.config1 == b->attr.config1 && a->attr.config2 == b->attr.config2 &&
	       !a->boxes.n && !b->boxes.n;
}

/* The first CPU of the domain that holds `cpu`: the same for all CPUs of a core or socket. */
static int domain_of(const char *root, unsigned cpu, const char *file, unsigned *out)
{
	char path[96], text[4096];
	struct sd_cpulist list = {0};
	int rc;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, file);
	rc = sd_textfile_read(root, path, text, sizeof text);
	if (!rc)
		rc = sd_cpulist_parse(text, &list);
	if (!rc && list.n == 0)
		rc = -ENODATA;
	if (!rc)
		*out = list.cpu[0];
	sd_cpulist_free(&list);
	return rc;
}

/* Lists the first CPU in `cpus` of every domain. 0 or -errno. */
static int one_a_domain(
	const struct sd_cpulist *cpus, const char *root, const char *file, struct sd_cpulist *out)
{
	struct sd_cpulist domains = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < cpus->n; i++) {
		unsigned domain = 0;
		size_t j = 0;

		rc = domain_of(root, cpus->cpu[i], file, &domain);
		while (!rc && j < domains.n && domains.cpu[j] != domain)
			j++;
		if (rc || j < domains.n)
			continue;
		rc = sd_cpulist_add(&domains, domain);
		if (!rc)
			rc = sd_cpulist_add(out, cpus->cpu[i]);
	}
	sd_cpulist_free(&domains);
	return rc;
}

int sd_role_events_cpus(enum sd_role_events_where where, const struct sd_cpulist *cpus,
	const char *root, struct sd_cpulist *out)
{
	struct sd_cpulist online = {0};
	char text[4096];
	int rc;

	*out = (struct sd_cpulist){0};
	if (where == SD_ROLE_EVENTS_CORES) {
		rc = one_a_domain(cpus, root, "thread_siblings_list", out);
	} else {
		rc = sd_textfile_read(root, "/sys/devices/system/cpu/online", text, sizeof text);
		if (!rc)
			rc = sd_cpulist_parse(text, &online);
		if (!rc)
			rc = one_a_domain(&online, root, "core_siblings_list", out);
	}
	if (rc)
		sd_cpulist_free(out);
	sd_cpulist_free(&online);
	return rc;
}
