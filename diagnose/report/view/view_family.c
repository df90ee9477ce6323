#include "view/view_family.h"

static const char *const family[SD_COMPONENT_COUNT] = {
	[SD_COMPONENT_USEFUL] = "work",
	[SD_COMPONENT_GROWTH] = "growth",
	[SD_COMPONENT_INSTRUCTIONS] = "growth",
	[SD_COMPONENT_CPI_BANDWIDTH] = "growth",
	[SD_COMPONENT_CPI_LLC] = "growth",
	[SD_COMPONENT_CPI_DTLB] = "growth",
	[SD_COMPONENT_CPI_SHARING] = "growth",
	[SD_COMPONENT_CPI_SMT] = "growth",
	[SD_COMPONENT_CPI_NUMA] = "growth",
	[SD_COMPONENT_CPI_OTHER] = "growth",
	[SD_COMPONENT_FREQUENCY] = "growth",
	[SD_COMPONENT_SPINNING] = "waiting",
	[SD_COMPONENT_SYSTEM] = "kernel",
	[SD_COMPONENT_THREADS] = "kernel",
	[SD_COMPONENT_RUN_QUEUE] = "machine",
	[SD_COMPONENT_THROTTLED] = "machine",
	[SD_COMPONENT_STOLEN] = "machine",
	[SD_COMPONENT_LOCK] = "waiting",
	[SD_COMPONENT_IMBALANCE] = "waiting",
	[SD_COMPONENT_SERIAL] = "waiting",
	[SD_COMPONENT_DISK] = "waiting",
	[SD_COMPONENT_SLEEP] = "waiting",
	[SD_COMPONENT_NETWORK] = "waiting",
	[SD_COMPONENT_MPI] = "waiting",
	[SD_COMPONENT_LAUNCH] = "machine",
	[SD_COMPONENT_UNACCOUNTED] = "unknown",
};

const char *sd_view_family(enum sd_component k)
{
	return family[k];
}
