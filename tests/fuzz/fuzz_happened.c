/* A capture, as a kept file holds it, from its events to the account of a run: whatever the bytes
 * are, it ends, and no time is negative or more than there was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/trace.h"
#include "trace/trace_file.h"
#include "attribute/blame.h"
#include "base/configs.h"
#include "resolve/timeline_build.h"
#include "attribute/fill_gaps.h"
#include "symbols/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Rules and what is known of files are no input. */
static struct sd_symbols *symbols;
static struct sd_stack_resolve placing;
static struct sd_stacks stacks;

static void account(struct sd_timeline *timeline)
{
	struct sd_sampled sampled = {0};
	struct sd_blame charges;
	double idle[SD_IDLE_COUNT];

	if (sd_blame_make(&charges, timeline, &stacks, 2) ||
		sd_blame_rows(&charges, &stacks, &sampled))
		abort();
	sd_blame_idle(&charges, idle);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		if (!(idle[i] >= -1e-6))
			abort();
	for (size_t i = 0; i < sampled.n_use; i++)
		if (!(sampled.use[i].seconds >= 0) || sampled.use[i].node >= stacks.n_node + 1)
			abort();
	sd_sampled_free(&sampled);
	sd_blame_free(&charges);
}

static void replay(struct sd_capture *c)
{
	struct sd_timeline timeline = {.first = 1};
	struct sd_timeline_build happened = {
		.placing = &placing, .timeline = &timeline, .first = 1};

	if (sd_trace_replay(c, sd_timeline_build_event, &happened) == 0) {
		sd_timeline_build_end(&happened);
		if (timeline.n) {
			const uint64_t last = timeline.moment[timeline.n - 1].time;

			timeline.end = last > timeline.start ? last : timeline.start;
			sd_timeline_bound(&timeline);
			if (sd_fill_gaps(&timeline))
				abort();
			account(&timeline);
		}
	}
	sd_timeline_build_free(&happened);
	sd_timeline_free(&timeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("capture", MFD_CLOEXEC);
	struct sd_capture *c = NULL;
	char path[64];

	if (!symbols &&
		(sd_symbols_open(&symbols, "/nonexistent") ||
			sd_stack_resolve_open(&placing, symbols, &stacks, sd_configs_dir(), NULL)))
		abort();
	sd_symbols_again(symbols);
	sd_stack_resolve_again(&placing);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (sd_capture_from_file(&c, path) == 0)
		replay(c);
	sd_trace_close(c);
	close(fd);
	return 0;
}
