#include "facts/facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "page/page.h"

/* A term of the list, and what a stream has gathered of it: nothing where that is empty. Frees the
 * text. */
static void put_gathered(struct sd_document *b, const char *term, FILE *f, char **text)
{
	char *const whole = sd_page_written(f, text);

	b->failed |= !whole;
	if (whole && *whole)
		sd_document_term(b, term, "%s", whole);
	free(whole);
}

/* ---- samples --------------------------------------------------------------------------------- */

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

static void put_sampling(struct sd_document *b, const struct sd_analysis *a)
{
	const struct sd_sampling *s = &a->sampling;
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	/* nobody was to take any */
	if (s->status == SD_STATUS_ABSENT)
		return;
	f = open_memstream(&text, &size);
	if (f && s->status == SD_STATUS_OK) {
		put_rate(f, s);
		put_stacks(f, s);
		put_waits(f, s);
	} else if (f) {
		fprintf(f, "none, %s: no functions; reasons of waits from thread states",
			s->ended ? ended : why(s->status));
	}
	put_gathered(b, "Samples", f, &text);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void put_fits(struct sd_document *b, const struct sd_fits *f)
{
	if (sd_has(f->amdahl_serial) && f->amdahl_serial.value < 1) /* 1: nothing is gained */
		sd_document_term(b, "Amdahl fit",
			"serial fraction %.1f %% (describes the curve, does not explain it)",
			100 * f->amdahl_serial.value);
	if (!sd_has(f->usl_alpha) || !sd_has(f->usl_beta) || !sd_has(f->usl_gamma))
		return;
	sd_document_term(b, "USL fit",
		"contention %.4g, coherency %.4g, scale %.4g (describes the curve)",
		f->usl_alpha.value, f->usl_beta.value, f->usl_gamma.value);
	if (sd_has(f->usl_peak))
		sd_document_term(b, "USL", "maximum speedup at %.0f cores", f->usl_peak.value);
	if (sd_has(f->usl_limit))
		sd_document_term(b, "USL", "speedup stays below %.4gx", f->usl_limit.value);
}

static void put_confidence(struct sd_document *b, const struct sd_analysis *a, int shielded)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	if (f && a->bootstraps > 0) {
		fprintf(f, "95 %% intervals from %zu bootstraps over whole runs", a->bootstraps);
		if (sd_has(a->smallest))
			fprintf(f, "; smallest detectable change of efficiency %.1f %%",
				100 * a->smallest.value);
		if (sd_has(a->drift))
			fprintf(f, "; drift from first to last %+.1f %%", 100 * a->drift.value);
		if (sd_has(a->noise))
			fprintf(f, "; background load at most %.1f %%", 100 * a->noise.value);
		if (shielded)
			fputs("; the runs had precedence", f);
	}
	put_gathered(b, "Confidence", f, &text);
}

/* "2 of 19 at 1 core, 1 of 19 at 2": runs whose time is in the median. */
static void put_outlying(struct sd_document *b, const struct sd_analysis *a)
{
	char *text = NULL;
	size_t size = 0, n = 0;
	FILE *const f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < a->n_point; i++)
		if (a->point[i].runs_outlying > 0) {
			fprintf(f, "%s%zu of %zu at %u%s", n ? ", " : "", a->point[i].runs_outlying,
				a->point[i].runs, a->point[i].cores,
				n                        ? ""
				: a->point[i].cores == 1 ? " core"
							 : " cores");
			n++;
		}
	if (f && n)
		fputs(" (excluded from the breakdown)", f);
	put_gathered(b, "Outlying runs", f, &text);
}

/* ---- where the record is from, for somebody who doubts it ------------------------------------ */

static void put_setup(struct sd_document *b, const struct sd_host *h)
{
	char *text = NULL;
	size_t size = 0, n = 0;
	FILE *const f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < SD_NODE_FACT_COUNT; i++)
		if (i != SD_NODE_FACT_KERNEL && h->setup.text[i][0])
			fprintf(f, "%s%s %s", n++ ? "; " : "", sd_node_fact_label[i],
				h->setup.text[i]);
	put_gathered(b, "Set up", f, &text);
}

static void put_environment(struct sd_document *b, const struct sd_texts *set)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < set->n; i++)
		fprintf(f, "%s%s", i ? " " : "scalediag set for the program: ", set->text[i]);
	put_gathered(b, "Environment", f, &text);
}

static void put_provenance(struct sd_document *b, const struct sd_record *r)
{
	const struct sd_host *const h = &r->host;

	/* its warning says what a broken checksum means; this, that there is none */
	if (r->unchecked)
		sd_document_term(b, "Unchecked",
			"an older scalediag wrote this record, without a checksum: whether its "
			"numbers are those that were measured cannot be told");
	sd_document_term(b, "Machine", "%s, %s, %s%s%s", h->name, h->cpu, h->kernel,
		h->hypervisor[0] ? ", below " : "", h->hypervisor);
	put_setup(b, h);
	if (r->program.build)
		sd_document_term(b, "Compiled", "%s", r->program.build);
	put_environment(b, &r->program.set);
	sd_document_term(b, "Recorded by", "scalediag %s", r->tool_version);
}

void sd_facts_method(
	struct sd_document *b, const struct sd_record *r, const struct sd_analysis *a, int shielded)
{
	put_fits(b, &a->fits);
	put_confidence(b, a, shielded);
	put_outlying(b, a);
	put_sampling(b, a);
	if (r->calibration.statement)
		sd_document_term(b, "Node", "%s", r->calibration.statement);
	if (b->all)
		put_provenance(b, r);
}
