#include "probes/sampled_run.h"

#include <math.h>
#include <string.h>

#include "native/code_copies.h"
#include "native/native_watch.h"
#include "proc/textfile.h"
#include "resolve/timeline_build.h"
#include "trace/timeline_parts.h"

void sd_sampled_run_boot(const char *root, char boot[SD_SAMPLED_RUN_BOOT])
{
	if (sd_textfile_read(root, "/proc/sys/kernel/random/boot_id", boot, SD_SAMPLED_RUN_BOOT))
		boot[0] = '\0';
}

static void give_facts(const struct sd_trace_facts *f, const struct sd_stack_resolve *placing,
	const struct sd_timeline *t, struct sd_sampled *out)
{
	out->status = f->samples;
	out->switch_stacks = f->switch_stacks;
	out->kernel = f->kernel;
	out->wakers = f->wakes;
	out->programs = f->programs;
	out->hz = f->hz;
	out->samples = (double)f->n_samples;
	out->switches = (double)f->n_switches;
	out->lost = (double)(f->n_lost > t->lost ? f->n_lost : t->lost);
	out->cpu_s = f->cpu_s;
	out->stack_bytes = f->stack_bytes;
	out->pointed =
		placing->asked ? fmin(1, (double)placing->pointed / (double)placing->asked) : 0;
	out->unwatched = t->unwatched;
	out->unwound =
		placing->asked ? fmin(1, (double)placing->whole / (double)placing->asked) : 0;
}

/* Is the account of switches whole, and each wait's reason known? */
static int is_exact(const struct sd_trace_facts *f, const struct sd_run *run)
{
	const struct sd_sampled *const s = &run->sampled;

	if ((run->flags & SD_RUN_REBOUND) && !(run->flags & SD_RUN_HELD))
		return 0; /* it ran where nobody looked */
	return f->switches == SD_STATUS_OK &&
	       (f->switch_stacks == SD_STATUS_OK || f->switch_stacks == SD_STATUS_MULTIPLEXED) &&
	       s->lost == 0 && f->cpus_covered >= f->cpus_wanted;
}

/* Nor does what steal_time.c makes of clock ticks stay, where every switch is known, or those of
 * windows that stand for all of the run: beside many switches, ticks take the kernel's way into and
 * out of idling for somebody's time. */
static void give_strangers(const struct sd_trace_facts *f, struct sd_run *run)
{
	if (f->together && run->sampled.lost == 0 && run->sampled.unwatched < 1 &&
		f->cpus_covered >= f->cpus_wanted)
		run->metric[SD_METRIC_FOREIGN] =
			SD_OK(f->strangers_s / (1 - run->sampled.unwatched));
}

/* From a file that does not say how the run ended: with the last that happened. */
static void give_ends(const struct sd_sampled_run *how, const struct sd_timeline_build *build,
	struct sd_timeline *t)
{
	if (!t->start)
		t->start = how->start ? how->start : t->n ? t->moment[0].time : 0;
	if (!build->ended)
		t->end = t->n ? t->moment[t->n - 1].time : t->start;
	if (t->end < t->start)
		t->end = t->start;
}

struct replay {
	struct sd_timeline_build build;
	struct sd_native_watch *native; /* NULL: nobody asks */
};

static int replay_event(void *ctx, const struct sd_event *e)
{
	struct replay *const r = ctx;
	int rc = sd_timeline_build_event(&r->build, e);

	if (!rc && r->native)
		rc = sd_native_watch_event(r->native, r->build.timeline, e);
	return rc;
}

/* And what its samples touch, where `native` is not NULL. */
static int make_timeline(const struct sd_sampled_run *how, struct sd_capture *c,
	struct sd_timeline *t, struct sd_native_watch *native)
{
	struct replay r = {.build = {.placing = how->placing, .timeline = t, .first = how->first},
		.native = native};
	struct sd_trace_facts facts;
	int rc;

	sd_trace_facts(c, &facts);
	t->first = how->first;
	t->start = how->running ? how->start : 0;
	t->together = facts.together && !facts.thinned;
	rc = sd_trace_replay(c, replay_event, &r);
	sd_timeline_build_end(&r.build);
	give_ends(how, &r.build, t);
	sd_timeline_parts_keep(t);
	sd_timeline_bound(t);
	sd_timeline_build_free(&r.build);
	return rc;
}

int sd_sampled_run_timeline(
	const struct sd_sampled_run *how, struct sd_capture *c, struct sd_timeline *t)
{
	return make_timeline(how, c, t, NULL);
}

static int give_frames(void *ctx, const struct sd_event *e)
{
	return sd_stack_frames_event(ctx, e);
}

/* Names lines of stacks by their frames, which only another look at the events can tell. */
static int name_frames(const struct sd_sampled_run *how, struct sd_capture *c,
	struct sd_stack_frames *frames, struct sd_native_lines *lines)
{
	int rc = frames->n && how->stacks ? sd_trace_replay(c, give_frames, frames) : 0;

	if (!rc && frames->n && how->stacks)
		rc = sd_stack_frames_name(frames, how->placing->symbols, how->stacks, lines);
	sd_stack_frames_free(frames);
	return rc;
}

int sd_sampled_run_account(
	const struct sd_sampled_run *how, struct sd_capture *c, struct sd_run *run)
{
	struct sd_accountant_run of = {
		.stacks = how->stacks, .cores = how->cores, .lane_steps = how->lane_steps};
	struct sd_native_watch *native;
	struct sd_timeline timeline = {0};
	struct sd_trace_facts facts;
	struct sd_stack_frames frames = {.n = 0};
	const struct sd_native_beside beside = {how->code, how->proof, how->blocks, &frames};
	int rc = sd_native_watch_open(&native, how->placing, &beside);

	sd_symbols_copies(how->placing->symbols, how->code ? sd_code_copies_last : NULL, how->code);
	if (!rc)
		rc = make_timeline(how, c, &timeline, native);
	if (!rc)
		rc = sd_native_watch_end(native, &timeline, &run->native);
	sd_native_watch_close(native);
	if (!rc)
		rc = name_frames(how, c, &frames, run->native);
	if (!rc) {
		sd_trace_facts(c, &facts);
		give_facts(&facts, how->placing, &timeline, &run->sampled);
		give_strangers(&facts, run);
		of.exact = is_exact(&facts, run);
		rc = how->accountant->timeline(&timeline, &of, run);
	}
	if (rc) { /* half an account is none */
		sd_sampled_free(&run->sampled);
		sd_binned_lanes_free(run->lanes);
		run->lanes = NULL;
		sd_native_lines_free(run->native);
		run->native = NULL;
		run->sampled.status = SD_STATUS_UNSUPPORTED;
	}
	sd_symbols_copies(how->placing->symbols, NULL, NULL);
	sd_timeline_free(&timeline);
	return rc;
}
