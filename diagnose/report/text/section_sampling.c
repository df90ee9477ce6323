#include "text/sections.h"

#include <stdio.h>
#include <stdlib.h>

/* "denied", "unsupported", …, in a sentence. */
static const char *why(enum sd_status s)
{
	switch (s) {
	case SD_STATUS_DENIED:
		return "denied by the kernel (perf_event_paranoid, or the container)";
	case SD_STATUS_UNSUPPORTED:
		return "this kernel cannot";
	default:
		return "not recorded";
	}
}

static const char ended[] = "the kernel ended them when the program, or a part of it, was executed";

static void put_rate(FILE *f, const struct sd_sampling *s)
{
	if (s->hz_most - s->hz_least > 1)
		fprintf(f, "%.0f to %.0f a second and core", s->hz_least, s->hz_most);
	else
		fprintf(f, "%.0f a second and core", s->hz_most);
	fprintf(f, ", %.0f in all", s->samples);
	if (s->lost > 0)
		fprintf(f, ", %.0f lost (%.2g %%)", s->lost,
			100 * s->lost / (s->lost + s->samples));
	else
		fputs(", none lost", f);
	if (sd_has(s->unwound) && s->unwound.value < .95)
		fprintf(f, "; %.0f %% of the stacks are whole", 100 * s->unwound.value);
}

/* How callers were found. */
static void put_stacks(FILE *f, const struct sd_sampling *s)
{
	if (s->stack_most <= 0)
		return;
	if (s->stack_least < s->stack_most)
		fprintf(f, "; %.3g to %.3g KiB of the stack copied each", s->stack_least / 1024,
			s->stack_most / 1024);
	else
		fprintf(f, "; %.3g KiB of the stack copied each", s->stack_most / 1024);
	if (sd_has(s->pointed) && s->pointed.value >= .005)
		fprintf(f, ", callers beyond it by frame pointers (%.0f %% of the stacks)",
			100 * s->pointed.value);
}

static void put_waits(FILE *f, const struct sd_sampling *s)
{
	if (!s->idle && s->switch_stacks == SD_STATUS_MULTIPLEXED)
		fputs("; so many context switches that only some were recorded: reasons of waits "
		      "from thread states",
			f);
	else if (!s->idle && s->switch_stacks == SD_STATUS_DENIED)
		fputs("; how long threads waited from their states; for what, "
		      "where a thread was looked at while it waited (/proc/TID/syscall and its stack): "
		      "stacks at context switches are denied by the kernel (perf_event_paranoid, or the container)",
			f);
	else if (!s->idle)
		fputs("; reasons of waits from thread states, not from context switches", f);
	else if (s->unwatched > 0)
		fprintf(f,
			"; reasons of waits from context switches in windows of %.0f ms, down to "
			"%.0f %% of a run: a core made too many to record them all at little cost; "
			"what waits and idle cores come to is estimated from them",
			1e3 * SD_SAMPLED_WINDOW_S, 100 * (1 - s->unwatched));
	else if (s->switch_stacks == SD_STATUS_OK)
		fputs("; reasons of waits from every context switch, with its stack", f);
	else if (s->switch_stacks == SD_STATUS_MULTIPLEXED)
		fputs("; reasons of waits from every context switch, with the stacks of some", f);
	else
		fprintf(f, "; waits from context switches, without their stacks: %s",
			why(s->switch_stacks));
	if (s->idle && s->programs == SD_STATUS_OK)
		fputs(" (recorded by programs in the kernel)", f);
	else if (s->unwatched > 0 && s->programs != SD_STATUS_ABSENT)
		fprintf(f, "; programs in the kernel could record them all: %s",
			s->programs == SD_STATUS_DENIED ? "denied (root, and not in a container)"
							: "this kernel cannot run them");
	if (s->idle && s->wakers != SD_STATUS_OK)
		fprintf(f, "; who ended a wait is not known: %s",
			s->wakers == SD_STATUS_UNSUPPORTED
				? "there is no tracepoint for it here (no tracefs is mounted at "
				  "/sys/kernel/tracing and none can be, or the kernel has no "
				  "sched_waking)"
				: why(s->wakers));
	if (s->kernel != SD_STATUS_OK && s->idle && s->kernel == s->switch_stacks)
		fputs("; the kernel was not sampled: for the same reason", f);
	else if (s->kernel != SD_STATUS_OK)
		fprintf(f, "; the kernel was not sampled: %s", why(s->kernel));
	if (s->unwatched > 0 && s->hz_least < .6 * s->hz_most)
		fputs("; fewer samples once a core was known to switch so often", f);
	if (s->ended)
		fprintf(f, "; incomplete: %s", ended);
	else if (s->mixed)
		fputs("; some of the runs have no samples", f);
	if (sd_has(s->sample_s))
		fprintf(f, "; overhead %.2g %% (%.3g us each)%s",
			100 * s->sample_s.value * s->hz_most, 1e6 * s->sample_s.value,
			s->sample_s.value * SD_SAMPLED_HZ > SD_SAMPLED_MOST
				? ", and so there are fewer than usual"
				: "");
	if (sd_has(s->cost) && s->cost.value > 0)
		fprintf(f, "; reading them took %.2g %% of the CPU time", 100 * s->cost.value);
}

void sd_section_sampling(struct sd_page *p, const struct sd_analysis *a)
{
	const struct sd_sampling *s = &a->sampling;
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	/* nobody was to take any */
	if (s->status == SD_STATUS_ABSENT)
		return;
	f = open_memstream(&text, &size);
	if (!f) {
		p->failed = 1;
		return;
	}
	if (s->status == SD_STATUS_OK) {
		put_rate(f, s);
		put_stacks(f, s);
		put_waits(f, s);
	} else {
		fprintf(f, "none, %s: no functions; reasons of waits from thread states",
			s->ended ? ended : why(s->status));
	}
	if (fclose(f) == 0)
		sd_page_wrap_tone(p, SD_TONE_DIM, "Samples: ", 2, "%s", text);
	else
		p->failed = 1;
	free(text);
}
