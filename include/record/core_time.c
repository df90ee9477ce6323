#include "record/core_time.h"

const struct sd_wait_info sd_wait_info[SD_WAIT_COUNT] = {
#define X(id, idle, turn, alone, rank) \
	[SD_WAIT_##id] = {SD_IDLE_##idle, SD_TURN_##turn, SD_IDLE_##alone, rank},
	SD_WAITS(X)
#undef X
};

const struct sd_activity_info sd_activity_info[SD_ACTIVITY_COUNT] = {
#define X(id, name, label, group, wait, at, kernel, part)                                \
	[SD_ACTIVITY_##id] = {name, label, SD_GROUP_##group, SD_WAIT_##wait, SD_AT_##at, \
		SD_ACTIVITY_##kernel, SD_PART_##part},
	SD_ACTIVITIES(X)
#undef X
};

const char *const sd_idle_name[SD_IDLE_COUNT] = {
#define X(id, name, part, meaning) [SD_IDLE_##id] = name,
	SD_IDLES(X)
#undef X
};

const enum sd_part sd_idle_part[SD_IDLE_COUNT] = {
#define X(id, name, part, meaning) [SD_IDLE_##id] = SD_PART_##part,
	SD_IDLES(X)
#undef X
};

const struct sd_part_info sd_part_info[SD_PART_COUNT] = {
#define X(id, component, cost, of) \
	[SD_PART_##id] = {SD_COMPONENT_##component, SD_COST_##cost, SD_PART_OF_##of},
	SD_PARTS(X)
#undef X
};

const struct sd_component_info sd_component_info[SD_COMPONENT_COUNT] = {
#define X(id, name, label, cause) [SD_COMPONENT_##id] = {name, label, SD_CAUSE_##cause},
	SD_COMPONENTS(X)
#undef X
};

const char *const sd_cost_name[SD_COST_COUNT] = {
#define X(id, name, head) [SD_COST_##id] = name,
	SD_COSTS(X)
#undef X
};
