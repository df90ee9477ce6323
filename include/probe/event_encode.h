/*
 * Encodes a map's event strings for perf_event_open(2) with libpfm4, for this CPU or any other that
 * libpfm4 knows, and finds the kernel's uncore PMUs.
 */
#ifndef SD_EVENT_ENCODE_H
#define SD_EVENT_ENCODE_H

#include <stdint.h>

#include "base/cpulist.h"
#include "probe/event_map.h"
#include "base/sink.h"
#include "base/texts.h"

struct sd_event_code {
	uint32_t type; /* perf_event_attr.type; valid if has_type */
	int has_type;  /* 0 for events of a kernel PMU, each of whose boxes has its own type */
	uint64_t config, config1, config2;
	unsigned precise; /* perf_event_attr.precise_ip */
};

/*
 * Initialises libpfm4 so that it also encodes for other CPUs. Call it first, from one thread;
 * further calls are free. 0, or -ENOTSUP without a usable libpfm4.
 */
int sd_event_encode_open(void);
void sd_event_encode_close(void);

/* The core PMUs that libpfm4 detects on this machine. 0 or -ENOMEM (*names then empty). */
int sd_event_encode_pmus(struct sd_texts *names);

/*
 * Encodes one event of the map. 0; -ENOTSUP if this build of libpfm4 does not know the map's CPU
 * (it knows only CPUs of its own architecture); -EINVAL if the string does not encode; -EILSEQ if
 * it encodes to something else than the map says, which is then in *out.
 */
int sd_event_encode(const struct sd_event_map *map, const struct sd_map_event *event,
	struct sd_event_code *out);

/*
 * Encodes every event of the map. 0, and *unknown (may be NULL) is the number of events this build
 * of libpfm4 cannot know; -EINVAL after a message "FILE:LINE: ..." about the first wrong one.
 */
int sd_event_encode_check(
	const struct sd_event_map *map, size_t *unknown, const struct sd_sink *sink);

/* One box of a kernel's PMU: uncore_imc_3. */
struct sd_pmubox {
	char name[64];
	uint32_t type;
	struct sd_cpulist cpus; /* where to open it, one CPU a socket; empty = anywhere */
};

struct sd_pmuboxes {
	struct sd_pmubox *box;
	size_t n;
};

/*
 * The boxes named `pmu` or `pmu`_N, ordered by N. `root` is the prefix of /sys. 0; -ENOENT: none;
 * -ENOMEM. A box with unreadable files is left out.
 */
int sd_uncore_pmus_read(struct sd_pmuboxes *boxes, const char *pmu, const char *root);
void sd_uncore_pmus_free(struct sd_pmuboxes *boxes);

#endif
