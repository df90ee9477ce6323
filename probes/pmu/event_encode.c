#include "probe/event_encode.h"

#include <errno.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* libpfm4 reads it once, when it is started: encode also for PMUs that are not there. */
static const char inactive[] = "LIBPFM_ENCODE_INACTIVE";

int sd_event_encode_open(void)
{
	const char *const given = getenv(inactive);
	const int had = given != NULL;
	char *const before = had ? strdup(given) : NULL;
	int rc;

	setenv(inactive, "1", 1);
	rc = pfm_initialize();
	/* the programs that are run get the environment as the user has it */
	if (before)
		setenv(inactive, before, 1);
	else if (!had)
		unsetenv(inactive);
	free(before);
	return rc == PFM_SUCCESS ? 0 : -ENOTSUP;
}

void sd_event_encode_close(void)
{
	pfm_terminate();
}

int sd_event_encode_pmus(struct sd_texts *names)
{
	int rc = 0;

	*names = (struct sd_texts){0};
	for (pfm_pmu_t p = PFM_PMU_NONE; p < PFM_PMU_MAX && rc == 0; p++) {
		pfm_pmu_info_t info = {.size = sizeof info};

		if (pfm_get_pmu_info(p, &info) == PFM_SUCCESS && info.is_present &&
			info.type == PFM_PMU_TYPE_CORE)
			rc = sd_texts_add(names, "%s", info.name);
	}
	if (rc < 0)
		sd_texts_free(names);
	return rc;
}

/* The PMU's name is what stands before "::", or the map's. */
static int is_known(const char *name, size_t n)
{
	for (pfm_pmu_t p = PFM_PMU_NONE; p < PFM_PMU_MAX; p++) {
		pfm_pmu_info_t info = {.size = sizeof info};

		if (pfm_get_pmu_info(p, &info) == PFM_SUCCESS && strlen(info.name) == n &&
			strncasecmp(info.name, name, n) == 0)
			return 1;
	}
	return 0;
}

static int encode_core(const char *full, struct sd_event_code *out)
{
	struct perf_event_attr attr = {.size = sizeof attr};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof arg};

	if (pfm_get_os_event_encoding(full, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg) != PFM_SUCCESS)
		return -EINVAL;
	*out = (struct sd_event_code){.type = attr.type,
		.has_type = 1,
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
		.precise = attr.precise_ip};
	return 0;
}

/* Without the box in /sys libpfm4 gives the bare code only. */
static int encode_uncore(const char *full, const struct sd_map_event *e, struct sd_event_code *out)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof arg};
	uint64_t code;
	int rc = -EINVAL;

	if (pfm_get_os_event_encoding(full, PFM_PLM3, PFM_OS_NONE, &arg) == PFM_SUCCESS &&
		arg.count > 0) {
		code = arg.codes[0];
		*out = (struct sd_event_code){.config = code == e->code ? e->config : code,
			.config1 = e->config1,
			.config2 = e->config2};
		rc = code == e->code ? 0 : -EILSEQ;
	}
	free(arg.codes);
	return rc;
}

static int encode_string(
	const struct sd_event_map *map, const struct sd_map_event *e, struct sd_event_code *out)
{
	const char *const colons = strstr(e->event, "::");
	const char *const pmu = colons ? e->event : map->encode;
	const size_t n = colons ? (size_t)(colons - e->event) : pmu ? strlen(pmu) : 0;
	char full[512];
	int rc;

	if (!pmu || !is_known(pmu, n))
		return -ENOTSUP;
	rc = colons ? snprintf(full, sizeof full, "%s", e->event)
		    : snprintf(full, sizeof full, "%s::%s", pmu, e->event);
	if (rc < 0 || (size_t)rc >= sizeof full)
		return -EINVAL;
	if (e->pmu)
		return encode_uncore(full, e, out);
	rc = encode_core(full, out);
	if (rc == 0 && (out->config != e->code || out->config1 != e->config1))
		rc = -EILSEQ;
	return rc;
}

int sd_event_encode(
	const struct sd_event_map *map, const struct sd_map_event *event, struct sd_event_code *out)
{
	*out = (struct sd_event_code){.type = PERF_TYPE_RAW,
		.has_type = !event->pmu,
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2};
	return event->event ? encode_string(map, event, out) : 0;
}

static int say_wrong(const struct sd_event_map *map, const struct sd_map_event *e, int rc,
	const struct sd_event_code *code, const struct sd_sink *sink)
{
	if (rc == -EILSEQ)
		sd_say(sink, SD_LEVEL_ERROR,
			"%s:%u: '%s' encodes to 0x%llx, config1 0x%llx; the map says 0x%llx, "
			"0x%llx",
			map->file, e->line, e->event, (unsigned long long)code->config,
			(unsigned long long)code->config1, (unsigned long long)e->code,
			(unsigned long long)e->config1);
	else
		sd_say(sink, SD_LEVEL_ERROR, "%s:%u: '%s' is not an event of libpfm4 for %s",
			map->file, e->line, e->event, map->encode ? map->encode : map->family);
	return -EINVAL;
}

int sd_event_encode_check(
	const struct sd_event_map *map, size_t *unknown, const struct sd_sink *sink)
{
	size_t missing = 0;

	for (size_t i = 0; i < SD_ROLE_COUNT; i++) {
		const struct sd_map_role *const role = &map->roles[i];

		for (size_t e = 0; e < role->n; e++) {
			struct sd_event_code code;
			const int rc = sd_event_encode(map, &role->events[e], &code);

			if (rc == -ENOTSUP)
				missing++;
			else if (rc < 0)
				return say_wrong(map, &role->events[e], rc, &code, sink);
		}
	}
	if (unknown)
		*unknown = missing;
	return 0;
}
