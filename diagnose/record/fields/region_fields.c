#include "fields/field_rows.h"

#include <float.h>

/* Fields of a run's regions of its program. */

static const char *const kind_names[SD_REGION_KIND_COUNT] = {
#define X(id, name) [SD_REGION_##id] = name,
	SD_REGION_KINDS(X)
#undef X
};

static const struct sd_field region[] = {
	NAME(sd_region_time, kind, "kind", kind_names),
	TEXT(sd_region_time, name, "name", .need = SD_FIELD_NEWER),
	NUMBER(sd_region_time, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES,
		.need = SD_FIELD_SPARSE),
	NUMBER(sd_region_time, processes, "processes", UNSIGNED, 1, 1u << 24),
	NUMBER(sd_region_time, least, "least", UNSIGNED, 0, 1u << 24, .need = SD_FIELD_SPARSE),
	NUMBER(sd_region_time, most, "most", UNSIGNED, 0, 1u << 24),
	COUNT(sd_region_time, entries),
	COUNT(sd_region_time, elapsed),
	COUNT(sd_region_time, thread_s),
	NUMBER(sd_region_time, cpu, "cpu", VALUE, 0, DBL_MAX),
#define OFTEN_ZERO(m) NUMBER(sd_region_time, m, #m, REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE)
	OFTEN_ZERO(unmatched),
	OFTEN_ZERO(unended),
	OFTEN_ZERO(imbalance),
	OFTEN_ZERO(lock),
	OFTEN_ZERO(scheduling),
	OFTEN_ZERO(barrier),
	OFTEN_ZERO(serial),
	OFTEN_ZERO(nested),
	OFTEN_ZERO(tasks),
	OFTEN_ZERO(whole),
	OFTEN_ZERO(task_work),
	OFTEN_ZERO(task_span),
	OFTEN_ZERO(loop_span),
	OFTEN_ZERO(dependent),
	OFTEN_ZERO(unspanned),
#undef OFTEN_ZERO
};
static const struct sd_fields region_fields = TABLE(region);

static const struct sd_field span[] = {
	NUMBER(sd_region_span, from, "from", COUNT64, 0, SD_FIELD_WHOLE),
	NUMBER(sd_region_span, to, "to", COUNT64, 0, SD_FIELD_WHOLE),
};
static const struct sd_fields span_fields = TABLE(span, .row = 2);

static const struct sd_field entry[] = {
	NUMBER(sd_request_entry, from, "from", COUNT64, 0, SD_FIELD_WHOLE),
	NUMBER(sd_request_entry, to, "to", COUNT64, 0, SD_FIELD_WHOLE),
	NUMBER(sd_request_entry, tid, "tid", INT, 1, INT32_MAX),
};
static const struct sd_fields entry_fields = TABLE(entry, .row = 3);

static const char *const state_names[SD_REQUESTS_STATE_COUNT] = {
#define X(id, name) [SD_REQUESTS_##id] = name,
	SD_REQUEST_STATES(X)
#undef X
};
static const char *const part_names[SD_REQUEST_PART_COUNT] = {
#define X(id, name, label) [SD_REQUEST_##id] = name,
	SD_REQUEST_PARTS(X)
#undef X
};

static const struct sd_field part[] = {
#define X(id, name, label)                                                      \
	NUMBER(sd_request_group, part[SD_REQUEST_##id], name, REAL, 0, DBL_MAX, \
		.need = SD_FIELD_SPARSE),
	SD_REQUEST_PARTS(X)
#undef X
};
static const struct sd_fields part_fields = TABLE(part);

static const struct sd_field group[] = {
	COUNT(sd_request_group, requests),
	COUNT(sd_request_group, took),
	GROUP("parts", part_fields, .need = SD_FIELD_SPARSE),
};
static const struct sd_fields group_fields = TABLE(group);

static const struct sd_field place[] = {
	NAME(sd_request_place, part, "part", part_names),
	NUMBER(sd_request_place, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	NUMBER(sd_request_place, lock, "lock", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_TEXTS),
	NUMBER(sd_request_place, holder, "holder", UNSIGNED, 0, UINT32_MAX,
		.of = SD_FIELD_OF_NODES),
	NUMBER(sd_request_place, s[SD_REQUESTS_TYPICAL], "typical", REAL, 0, DBL_MAX),
	NUMBER(sd_request_place, s[SD_REQUESTS_SLOW], "slow", REAL, 0, DBL_MAX),
};
static const struct sd_fields place_fields = TABLE(place, .row = 6);

static const struct sd_field requests[] = {
	NAME(sd_request_run, state, "state", state_names),
	TEXT(sd_request_run, name, "name"),
	COUNT(sd_request_run, entries),
	NUMBER(sd_request_run, beyond, "beyond", REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE),
	NUMBER(sd_request_run, unseen, "unseen", REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE),
	COUNT(sd_request_run, p50),
	COUNT(sd_request_run, p99),
	STRUCT(sd_request_run, group[SD_REQUESTS_SLOW], "slow", group_fields),
	STRUCT(sd_request_run, group[SD_REQUESTS_TYPICAL], "typical", group_fields),
	FIXED(sd_request_run, place, "places", place_fields),
};
static const struct sd_fields request_fields = TABLE(requests);

static const struct sd_field regions[] = {
	TEXT(sd_region_run, judged, "judged", .need = SD_FIELD_NEWER),
	NUMBER(sd_region_run, judged_s, "judged_s", REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE),
	NUMBER(sd_region_run, no_row, "no_row", REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE),
	NUMBER(sd_region_run, calls, "calls", REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE),
	NUMBER(sd_region_run, too_deep, "too_deep", REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE),
	ARRAY(sd_region_run, row, "rows", region_fields, SD_REGION_RUN_ROWS),
	ARRAY(sd_region_run, span, "spans", span_fields, SD_REGION_RUN_SPANS,
		.need = SD_FIELD_SPARSE),
	ARRAY(sd_region_run, entry, "entries", entry_fields, SD_REGION_RUN_SPANS,
		.need = SD_FIELD_SPARSE),
	OWNED(sd_region_run, requests, "requests", request_fields),
};
const struct sd_fields sd_fields_regions = TABLE(regions);
