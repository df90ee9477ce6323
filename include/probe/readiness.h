/*
 * Measurements that a run would miss on this machine, and why an experiment cannot be made here.
 */
#ifndef SD_READINESS_H
#define SD_READINESS_H

#include "base/status.h"
#include "record/experiment.h"

/* identifier, name in JSON, label in text */
#define SD_READINESS(X)                                           \
	X(SIMULATOR, "software-pmu", "software PMU (QEMU)")       \
	X(ALLOCATOR, "allocator", "another allocator")            \
	X(DEBUG, "debug-symbols", "libraries' debug symbols")     \
	X(CALIBRATION, "calibration", "calibration of this node") \
	X(GOVERNOR, "governor", "frequency governor")             \
	X(TURBO, "turbo", "turbo")                                \
	X(THP, "thp", "transparent huge pages")

enum sd_ready_id {
#define X(id, name, label) SD_READY_##id,
	SD_READINESS(X)
#undef X
		SD_READY_COUNT
};

#define SD_READINESS_WHY 200

struct sd_ready {
	enum sd_status status;     /* ok: as a run wants it; unsupported: not told here */
	char found[256], fix[320]; /* "" = nothing is to be mended */
};

struct sd_readiness {
	struct sd_ready ready[SD_READY_COUNT];
	/* For a program of C or OpenMP that glibc's loader starts; "": it can be made. */
	char lacks[SD_EXPERIMENT_COUNT][SD_READINESS_WHY];
};

#endif
