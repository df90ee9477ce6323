#include "machine/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

#include "cgroup/cgroup.h"
#include "probe/event_map.h"
#include "machine/firmware.h"
#include "machine/hypervisor_tsc.h"
#include "machine/hwloc_load.h"
#include "proc/textfile.h"

/* Coherence lines of real machines are 16 to 256 bytes; other claims are not believed. */
#define LINE_LEAST 16u
#define LINE_MOST 1024u
#define LINE_UNKNOWN 64u

/* hwloc objects, numbered in the order they are met. */
struct ids {
	hwloc_obj_t *obj;
	unsigned n;
};

/* From the end: the next PU mostly shares what the last one had. */
static unsigned id_of(struct ids *ids, hwloc_obj_t obj)
{
	for (unsigned i = ids->n; i > 0; i--)
		if (ids->obj[i - 1] == obj)
			return i - 1;
	ids->obj[ids->n] = obj;
	return ids->n++;
}

/* The largest cache around a PU; without any, what is known to hold one: the package. */
static hwloc_obj_t llc_of(hwloc_obj_t pu, hwloc_obj_t package)
{
	hwloc_obj_t llc = NULL;

	for (hwloc_obj_t o = pu; o; o = o->parent)
		if (hwloc_obj_type_is_dcache(o->type))
			llc = o;
	return llc ? llc : package;
}

/* The first NUMA node of a list of memory objects, memory-side caches looked through. */
static hwloc_obj_t first_node(hwloc_obj_t memory, unsigned os)
{
	for (; memory; memory = memory->next_sibling) {
		hwloc_obj_t node = memory;

		while (node && node->type != HWLOC_OBJ_NUMANODE)
			node = node->memory_first_child;
		/* nodes without CPUs (HBM, CXL) are nobody's own node */
		if (node && hwloc_bitmap_isset(node->cpuset, os))
			return node;
	}
	return NULL;
}

static hwloc_obj_t numa_of(hwloc_obj_t pu, hwloc_obj_t machine)
{
	for (hwloc_obj_t o = pu; o; o = o->parent) {
		hwloc_obj_t node = first_node(o->memory_first_child, pu->os_index);

		if (node)
			return node;
	}
	return machine;
}

static hwloc_obj_t ancestor(
	hwloc_topology_t h, hwloc_obj_t pu, hwloc_obj_type_t type, hwloc_obj_t otherwise)
{
	hwloc_obj_t o = hwloc_get_ancestor_obj_by_type(h, type, pu);

	return o ? o : otherwise;
}

/* The size of the largest instance, and its ways; hwloc says -1 of a fully associative one. */
static void larger(struct sd_value *v, unsigned *ways, hwloc_obj_t o)
{
	const uint64_t bytes = o->attr->cache.size;

	if (!bytes || (sd_has(*v) && (double)bytes <= v->value))
		return;
	*v = SD_OK((double)bytes);
	*ways = o->attr->cache.associativity > 0 ? (unsigned)o->attr->cache.associativity : 0;
}

static void read_caches(struct sd_topology *t, hwloc_obj_t pu)
{
	hwloc_obj_t llc = NULL;

	for (hwloc_obj_t o = pu; o; o = o->parent) {
		if (!hwloc_obj_type_is_dcache(o->type))
			continue;
		if (o->type == HWLOC_OBJ_L1CACHE)
			larger(&t->l1d_bytes, &t->l1d_ways, o);
		else if (o->type == HWLOC_OBJ_L2CACHE)
			larger(&t->l2_bytes, &t->l2_ways, o);
		if (o->attr->cache.linesize >= LINE_LEAST && o->attr->cache.linesize <= LINE_MOST &&
			o->attr->cache.linesize > t->line_bytes)
			t->line_bytes = o->attr->cache.linesize;
		llc = o;
	}
	if (llc)
		larger(&t->llc_bytes, &t->llc_ways, llc);
}

/* The level of a core kind; -1 when hwloc cannot rank the kinds (2.9: all efficiencies are -1). */
static int efficiency_of(hwloc_topology_t h, unsigned os, hwloc_bitmap_t scratch)
{
	int kind, efficiency = -1;

	hwloc_bitmap_only(scratch, os);
	kind = hwloc_cpukinds_get_by_cpuset(h, scratch, 0);
	if (kind < 0 ||
		hwloc_cpukinds_get_info(h, (unsigned)kind, NULL, &efficiency, NULL, NULL, 0))
		return -1;
	return efficiency;
}

/* Numbers the kinds in use from 0, the slowest; one unknown makes all of them unknown. */
static int read_kinds(struct sd_topology *t, hwloc_topology_t h)
{
	const int nr = hwloc_cpukinds_get_nr(h, 0);
	hwloc_bitmap_t scratch, seen;
	int rc = -ENOMEM, known = nr > 1;

	t->n_kind = 1;
	if (!known)
		return 0;
	scratch = hwloc_bitmap_alloc();
	seen = hwloc_bitmap_alloc();
	if (!scratch || !seen)
		goto out;
	for (size_t i = 0; i < t->n_pu && known; i++) {
		const int e = efficiency_of(h, t->pu[i].os, scratch);

		known = e >= 0 && e < nr;
		if (known)
			hwloc_bitmap_set(seen, (unsigned)e);
		t->pu[i].kind = known ? (unsigned)e : 0;
	}
	for (size_t i = 0; i < t->n_pu; i++) {
		unsigned slower = 0;

		for (unsigned e = 0; known && e < t->pu[i].kind; e++)
			slower += (unsigned)hwloc_bitmap_isset(seen, e);
		t->pu[i].kind = slower;
	}
	if (known)
		t->n_kind = (unsigned)hwloc_bitmap_weight(seen);
	rc = 0;
out:
	hwloc_bitmap_free(scratch);
	hwloc_bitmap_free(seen);
	return rc;
}

/* Tables that fill in pu[]. */
struct tables {
	struct ids core, llc, numa, package;
	unsigned *used; /* PUs met so far of each core */
};

static void add_pu(struct sd_topology *t, hwloc_topology_t h, hwloc_obj_t obj, struct tables *tab)
{
	hwloc_obj_t machine = hwloc_get_root_obj(h);
	hwloc_obj_t package = ancestor(h, obj, HWLOC_OBJ_PACKAGE, machine);
	struct sd_pu *pu = &t->pu[t->n_pu++];

	pu->os = obj->os_index;
	pu->core = id_of(&tab->core, ancestor(h, obj, HWLOC_OBJ_CORE, obj));
	pu->smt_rank = tab->used[pu->core]++;
	pu->llc = id_of(&tab->llc, llc_of(obj, package));
	pu->numa = id_of(&tab->numa, numa_of(obj, machine));
	pu->package = id_of(&tab->package, package);
	read_caches(t, obj);
}

static int by_os(const void *a, const void *b)
{
	const hwloc_obj_t x = *(const hwloc_obj_t *)a, y = *(const hwloc_obj_t *)b;

	return (x->os_index > y->os_index) - (x->os_index < y->os_index);
}

/* The usable PUs in the kernel's order: the number of them. */
static size_t collect(hwloc_topology_t h, hwloc_const_bitmap_t set, hwloc_obj_t *pu)
{
	hwloc_obj_t o = NULL;
	size_t n = 0;

	while ((o = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_PU, o)) != NULL)
		if (o->os_index < SD_CPU_MAX && hwloc_bitmap_isset(set, o->os_index))
			pu[n++] = o;
	qsort(pu, n, sizeof(hwloc_obj_t), by_os);
	return n;
}

static int fill(struct sd_topology *t, hwloc_topology_t h, hwloc_const_bitmap_t set)
{
	const int all = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PU);
	const size_t room = all > 0 ? (size_t)all : 1;
	/* five tables of objects in one piece */
	hwloc_obj_t *obj = calloc(room * 5, sizeof(hwloc_obj_t));
	struct tables tab = {.used = calloc(room, sizeof *tab.used)};
	size_t n;
	int rc = -ENOMEM;

	t->pu = calloc(room, sizeof *t->pu);
	if (!obj || !tab.used || !t->pu)
		goto out;
	tab.core.obj = obj + room;
	tab.llc.obj = obj + room * 2;
	tab.numa.obj = obj + room * 3;
	tab.package.obj = obj + room * 4;
	n = collect(h, set, obj);
	for (size_t i = 0; i < n; i++)
		add_pu(t, h, obj[i], &tab);
	t->n_core = tab.core.n;
	t->n_llc = tab.llc.n;
	t->n_numa = tab.numa.n;
	t->n_package = tab.package.n;
	if (!t->line_bytes)
		t->line_bytes = LINE_UNKNOWN;
	rc = read_kinds(t, h);
out:
	free(obj);
	free(tab.used);
	return rc;
}

/* hwloc keeps these with the package, or with the machine where there are none. */
static const char *info(hwloc_topology_t h, const char *name)
{
	hwloc_obj_t package = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_PACKAGE, NULL);
	const char *text = package ? hwloc_obj_get_info_by_name(package, name) : NULL;

	return text ? text : hwloc_obj_get_info_by_name(hwloc_get_root_obj(h), name);
}

static void read_names(
	struct sd_topology *t, hwloc_topology_t h, const struct sd_topology_source *s)
{
	const char *model = info(h, "CPUModel"), *implementer = info(h, "CPUImplementer"),
		   *part = info(h, "CPUPart");
	char arm[sizeof t->cpu_model];
	struct sd_cpuid id = {0};

	/* ARM's /proc/cpuinfo has numbers only, and hwloc does not always keep them */
	if (!model && !(implementer && part) && !s->synthetic && !s->xml)
		sd_cpu_model_read(&id, s->root ? s->root : "");
	if (!model && implementer && part) {
		snprintf(arm, sizeof arm, "implementer %s part %s", implementer, part);
		model = arm;
	} else if (!model && id.known && !id.vendor[0]) {
		snprintf(arm, sizeof arm, "implementer 0x%02x part 0x%03x", id.family, id.model);
		model = arm;
	}
	sd_textfile_clean(t->cpu_model, sizeof t->cpu_model, model);
	sd_textfile_clean(t->cpu_vendor, sizeof t->cpu_vendor, info(h, "CPUVendor"));
}

/* Counts the machine's CPUs: the kernel's list where there is one, else all that hwloc was
 * shown. */
static unsigned count_online(hwloc_topology_t h, const struct sd_topology_source *s)
{
	char text[8192];
	struct sd_cpulist list = {0};
	unsigned n = 0;

	if (!s->synthetic && !s->xml &&
		!sd_textfile_read(s->root, "/sys/devices/system/cpu/online", text, sizeof text) &&
		!sd_cpulist_parse(text, &list))
		n = (unsigned)list.n;
	sd_cpulist_free(&list);
	return n ? n : (unsigned)hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PU);
}

static void read_quota(struct sd_topology *t, const struct sd_topology_source *s)
{
	/* another machine has our quota only when a tree was named for it */
	if ((!s->synthetic && !s->xml) || s->root)
		t->quota = sd_cgroup_quota(s->root, 0);
	t->granted = (unsigned)t->n_pu;
	if (sd_has(t->quota) && t->quota.value < (double)t->granted)
		t->granted = t->quota.value < 2 ? 1 : (unsigned)t->quota.value;
}

/* CPUID speaks of the machine this runs on, and has the last word there: firmware may be the
 * host's. */
static void read_hypervisor(struct sd_topology *t, const struct sd_topology_source *s)
{
	const int here = !s->root || !*s->root;

	if (s->synthetic || s->xml)
		return;
	if (!here || sd_hypervisor_tsc_name(t->hypervisor, sizeof t->hypervisor))
		sd_firmware_hypervisor(s->root, t->hypervisor, sizeof t->hypervisor);
}

int sd_topology_load(struct sd_topology *out, const struct sd_topology_source *source,
	const struct sd_sink *sink)
{
	hwloc_topology_t h;
	hwloc_bitmap_t set;
	int rc;

	*out = (struct sd_topology){0};
	rc = sd_hwloc_load_open(&h, source, sink);
	if (rc)
		return rc;
	set = hwloc_bitmap_alloc();
	rc = set ? sd_hwloc_load_usable(h, source, set, sink) : -ENOMEM;
	if (!rc)
		rc = fill(out, h, set);
	if (!rc && out->n_pu == 0) {
		sd_say(sink, SD_LEVEL_ERROR, "topology: every CPU's number is %u or above",
			SD_CPU_MAX);
		rc = -EINVAL;
	}
	if (!rc && hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_CORE) == 0) {
		out->undescribed = 1;
		sd_say(sink, SD_LEVEL_WARNING,
			"topology: nothing tells which CPUs share a core, a cache or a NUMA node: "
			"each is taken for a core of its own; is /sys mounted?");
	}
	if (!rc) {
		out->n_online = count_online(h, source);
		read_names(out, h, source);
		read_quota(out, source);
		read_hypervisor(out, source);
	}
	hwloc_bitmap_free(set);
	hwloc_topology_destroy(h);
	if (rc)
		sd_topology_free(out);
	return rc;
}

void sd_topology_free(struct sd_topology *t)
{
	free(t->pu);
	*t = (struct sd_topology){0};
}
