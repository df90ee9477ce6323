#include "machine/hwloc_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

/*
 * hwloc's plugins: devices, which are not asked for, and XML by libxml2, whose loading takes three
 * times as long as the whole topology; hwloc reads its own exports without it.
 */
static const char plugins[] =
	"hwloc_pci.so,hwloc_opencl.so,hwloc_gl.so,hwloc_cuda.so,hwloc_nvml.so,"
	"hwloc_rsmi.so,hwloc_levelzero.so,hwloc_xml_libxml.so";

static int is_this_machine(const struct sd_topology_source *s)
{
	return !s->synthetic && !s->xml && !(s->root && *s->root);
}

static int fail(const struct sd_sink *sink, int rc, const char *what, const char *name)
{
	sd_say(sink, SD_LEVEL_ERROR, "topology: %s%s%s: %s", what, name ? " " : "",
		name ? name : "", strerror(-rc));
	return rc;
}

/* errno after hwloc, which does not always set it. */
static int hwloc_errno(void)
{
	return errno ? -errno : -EINVAL;
}

/* hwloc takes some settings from the environment only; a user's own stay. Returns whether it is to
 * be taken back. */
static int tell(const char *name, const char *value)
{
	return !getenv(name) && setenv(name, value, 1) == 0;
}

static int init(hwloc_topology_t *h)
{
	static const char name[] = "HWLOC_PLUGINS_BLACKLIST";
	const int ours = tell(name, plugins);
	int rc;

	errno = 0;
	rc = hwloc_topology_init(h) ? hwloc_errno() : 0;
	if (ours)
		unsetenv(name);
	return rc;
}

/*
 * Loads with what costs little: no devices, no instruction caches (hwloc's own default), no
 * distances and no memory attributes; and without the x86 backend, which would bind this thread to
 * every CPU in turn. `root`: hwloc knows a fake tree only through its environment variable.
 */
static int load(hwloc_topology_t h, const char *root)
{
	/* what it would print on stderr is said by us */
	static const char hide[] = "HWLOC_HIDE_ERRORS";
	const int ours = tell(hide, "2");
	int rc = 0;

	hwloc_topology_set_flags(h, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING |
					    HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
					    HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS);
	hwloc_topology_set_io_types_filter(h, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_icache_types_filter(h, HWLOC_TYPE_FILTER_KEEP_NONE);
	if (root && setenv("HWLOC_FSROOT", root, 1) != 0)
		rc = -errno;
	errno = 0;
	if (!rc && hwloc_topology_load(h))
		rc = hwloc_errno();
	if (root)
		unsetenv("HWLOC_FSROOT");
	if (ours)
		unsetenv(hide);
	return rc;
}

int sd_hwloc_load_open(
	hwloc_topology_t *h, const struct sd_topology_source *s, const struct sd_sink *sink)
{
	const char *root = s->synthetic || s->xml || !s->root || !*s->root ? NULL : s->root;
	int rc;

	rc = init(h);
	if (rc)
		return fail(sink, rc, "hwloc", NULL);
	errno = 0;
	if (s->synthetic && hwloc_topology_set_synthetic(*h, s->synthetic))
		rc = fail(sink, hwloc_errno(), "not a synthetic machine:", s->synthetic);
	else if (s->xml && hwloc_topology_set_xml(*h, s->xml))
		rc = fail(sink, hwloc_errno(), "cannot read", s->xml);
	else if ((rc = load(*h, root)) != 0)
		fail(sink, rc, "hwloc cannot load", s->xml ? s->xml : root ? root : "this machine");
	else if (is_this_machine(s) && !hwloc_topology_is_thissystem(*h)) {
		sd_say(sink, SD_LEVEL_ERROR,
			"topology: HWLOC_XMLFILE, HWLOC_SYNTHETIC or HWLOC_FSROOT in the "
			"environment shows another machine: unset it");
		rc = -EINVAL;
	}
	if (!rc)
		return 0;
	hwloc_topology_destroy(*h);
	*h = NULL;
	return rc;
}

/* The CPUs to use out of those hwloc shows (online and in the cpuset): `allowed`, else affinity. */
int sd_hwloc_load_usable(hwloc_topology_t h, const struct sd_topology_source *s, hwloc_bitmap_t set,
	const struct sd_sink *sink)
{
	struct sd_cpulist list = {0};
	int rc = 0;

	hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(h));
	if (s->allowed) {
		hwloc_bitmap_t mask = hwloc_bitmap_alloc();

		rc = mask ? sd_cpulist_parse(s->allowed, &list) : -ENOMEM;
		for (size_t i = 0; i < list.n && !rc; i++)
			rc = hwloc_bitmap_set(mask, list.cpu[i]) ? -ENOMEM : 0;
		hwloc_bitmap_and(set, set, mask);
		hwloc_bitmap_free(mask);
		sd_cpulist_free(&list);
		if (rc)
			return fail(sink, rc, "not a CPU list:", s->allowed);
	} else if (is_this_machine(s)) {
		hwloc_bitmap_t mask = hwloc_bitmap_alloc();

		errno = 0;
		if (!mask || hwloc_get_cpubind(h, mask, HWLOC_CPUBIND_THREAD))
			rc = hwloc_errno();
		else
			hwloc_bitmap_and(set, set, mask);
		hwloc_bitmap_free(mask);
		if (rc)
			return fail(
				sink, rc, "the kernel does not tell this process's affinity", NULL);
	}
	if (!hwloc_bitmap_iszero(set))
		return 0;
	sd_say(sink, SD_LEVEL_ERROR,
		"topology: none of the CPUs %s is online here and in this cpuset",
		s->allowed ? s->allowed : "of this process's affinity");
	return -EINVAL;
}
