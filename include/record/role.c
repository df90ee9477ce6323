#include "record/role.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *unit, *meaning;
} roles[] = {
#define X(id, name, unit, meaning) [SD_ROLE_##id] = {name, unit, meaning},
	SD_ROLES(X)
#undef X
};

static const char *const qualities[] = {
#define X(id, name) [SD_QUALITY_##id] = name,
	SD_QUALITIES(X)
#undef X
};
static const char *const scopes[] = {
#define X(id, name) [SD_SCOPE_##id] = name,
	SD_SCOPES(X)
#undef X
};

static const char *const sights[] = {
#define X(id, name) [SD_SIGHT_##id] = name,
	SD_SIGHTS(X)
#undef X
};

#define SEES(a) SD_SIGHT_BIT(a)
static const unsigned sees[SD_ROLE_COUNT] = {
	[SD_ROLE_CACHE_FILLS] = SEES(COMPLEX) | SEES(CLEAN),
	[SD_ROLE_OUTER_REFILLS] = SEES(SOCKET) | SEES(REMOTE) | SEES(CLEAN),
	[SD_ROLE_HITM_LOAD] = SEES(SOCKET) | SEES(LOADS),
	[SD_ROLE_HITM_LOAD_REMOTE] = SEES(REMOTE) | SEES(LOADS),
	[SD_ROLE_HITM_TILE] = SEES(COMPLEX) | SEES(LOADS),
	[SD_ROLE_HITM_ANY] = SEES(SOCKET),
	[SD_ROLE_HITM_ANY_CLUSTER] = SEES(SOCKET),
	[SD_ROLE_HITM_ANY_REMOTE] = SEES(REMOTE),
	[SD_ROLE_HITM_STORE] = SEES(SOCKET) | SEES(STORES),
	[SD_ROLE_HITM_STORE_REMOTE] = SEES(REMOTE) | SEES(STORES),
	[SD_ROLE_HITM_SUPPLIED] = SEES(SOCKET) | SEES(REMOTE),
	[SD_ROLE_HITM_BUS] = SEES(SOCKET) | SEES(REMOTE),
	[SD_ROLE_HITM_BUS_SELF] = SEES(SOCKET) | SEES(REMOTE),
	[SD_ROLE_HITM_SOCKET] = SEES(SOCKET),
	[SD_ROLE_HIT_REMOTE_FORWARD] = SEES(REMOTE) | SEES(LOADS) | SEES(CLEAN),
	[SD_ROLE_SIBLING_L2_HITS] = SEES(SOCKET) | SEES(LOADS) | SEES(CLEAN),
	[SD_ROLE_SIBLING_SNOOPS] = SEES(COMPLEX) | SEES(CLEAN) | SEES(SIBLINGS),
	[SD_ROLE_CORE_SNOOPS] = SEES(SOCKET) | SEES(CLEAN),
	[SD_ROLE_REMOTE_ACCESSES] = SEES(REMOTE) | SEES(CLEAN),
	[SD_ROLE_DTLB_LOAD_WALKS] = SEES(LOADS),
	[SD_ROLE_DTLB_LOAD_WALKS_DONE] = SEES(LOADS),
	[SD_ROLE_DTLB_LOAD_WALKS_RETIRED] = SEES(LOADS),
	[SD_ROLE_DTLB_LOAD_WALK_CYCLES] = SEES(LOADS),
	[SD_ROLE_DTLB_STORE_WALKS] = SEES(STORES),
	[SD_ROLE_DTLB_STORE_WALK_CYCLES] = SEES(STORES),
};

unsigned sd_role_sees(enum sd_role r)
{
	return sees[r];
}

const char *sd_sight_name(enum sd_sight s)
{
	return sights[s];
}

const char *sd_quality_name(enum sd_quality q)
{
	return qualities[q];
}

const char *sd_scope_name(enum sd_scope s)
{
	return scopes[s];
}

const char *sd_role_name(enum sd_role r)
{
	return roles[r].name;
}

const char *sd_role_unit(enum sd_role r)
{
	return roles[r].unit;
}

const char *sd_role_meaning(enum sd_role r)
{
	return roles[r].meaning;
}

int sd_role_parse(const char *name, enum sd_role *out)
{
	for (size_t i = 0; name && i < SD_ROLE_COUNT; i++)
		if (strcmp(roles[i].name, name) == 0) {
			*out = (enum sd_role)i;
			return 0;
		}
	return -EINVAL;
}

int sd_role_is_sampled(enum sd_role r)
{
	return r == SD_ROLE_SAMPLE_LOAD || r == SD_ROLE_SAMPLE_LOAD_LEADER ||
	       r == SD_ROLE_SAMPLE_STORE || r == SD_ROLE_SAMPLE_ACCESS ||
	       r == SD_ROLE_SAMPLE_POPULATION;
}
