/*
 * Events as perf_event_open(2) takes them: the event strings of a map through libpfm4, for the CPU
 * of this machine or any other that libpfm4 knows; and the kernel's uncore PMUs.
 */
#ifndef SD_EVENT_ENCODE_H
#define SD_EVENT_ENCODE_H

#include <stdint.h>

#include "base/cpulist.h"
#include "probe/event_map.h"
#include "base/sink.h"
#include "base/texts.h"

struct sd_event_code {
	uint32_t type; /* perf_event_attr.type; means something only when has_type */
	int has_type;  /* 0 for the events of a kernel's PMU: each of its boxes has its own type */
	uint64_t config, config1, config2;
	unsigned precise; /* perf_event_attr.precise_ip */
};

/*
 * Starts libpfm4 so that it also encodes for CPUs that are not there. To be called first, from one
 * thread; calling it again costs nothing. 0, or -ENOTSUP without a usable libpfm4.
 */
int sd_event_encode_open(void);
void sd_event_encode_close(void);

/* The PMUs of cores that libpfm4 finds on this machine. 0 or -ENOMEM (*names then empty). */
int sd_event_encode_pmus(struct sd_texts *names);

/*
 * Encodes one event of the map. 0; -ENOTSUP when this build of libpfm4 does not know the map's CPU
 * (it knows those of the architecture it was built for); -EINVAL when the string does not encode;
 * -EILSEQ when it encodes to something else than the map says, and that is in *out.
 */
int sd_event_encode(const struct sd_event_map *map, const struct sd_map_event *event,
	struct sd_event_code *out);

/*
 * Encodes every event of the map. 0, with the number of those this build of libpfm4 cannot know in
 * *unknown (may be NULL); -EINVAL after a message "FILE:LINE: ..." about the first that is wrong.
 */
int sd_event_encode_check(
	const struct sd_event_map *map, size_t *unknown, const struct sd_sink *sink);

/* One box of a kernel's PMU: uncore_imc_3. */
struct sd_pmubox {
	char name[64];
	uint32_t type;
	struct sd_cpulist cpus; /* on which it is to be opened, one a socket; empty = any one */
};

struct sd_pmuboxes {
	struct sd_pmubox *box;
	size_t n;
};

/*
 * The boxes named `pmu` or `pmu`_N (a number), in the order of N. `root` is the prefix of /sys.
 * 0; -ENOENT when there is none; -ENOMEM. A box whose files cannot be read is left out.
 */
int sd_uncore_pmus_read(struct sd_pmuboxes *boxes, const char *pmu, const char *root);
void sd_uncore_pmus_free(struct sd_pmuboxes *boxes);

#endif
