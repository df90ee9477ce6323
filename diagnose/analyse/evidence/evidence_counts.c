#include "evidence/evidence_counts.h"

/* A metric at the reference and at the last point, where both have it. */
static void say(struct sd_case *c, struct sd_finding *f, const char *metric, const char *what)
{
	struct sd_metric_eval_result a = sd_metric_eval_named(c->model, &c->before, metric);
	struct sd_metric_eval_result b = sd_metric_eval_named(c->model, &c->after, metric);

	if (sd_metric_eval_usable(a) && sd_metric_eval_usable(b))
		sd_case_say(c, f, "%s: %.4g at %u core%s, %.4g at %u%s", what, a.value,
			c->ref->cores, c->ref->cores == 1 ? "" : "s", b.value, c->last->cores,
			b.quality == SD_QUALITY_PROXY ? " (a count that goes along with it)" : "");
}

void sd_evidence_counts_llc(struct sd_case *c, struct sd_finding *f)
{
	say(c, f, "lines-per-instruction",
		"lines from beyond the last-level cache per instruction");
	say(c, f, "hitm-per-1000", "lines other cores held modified, per 1000 instructions");
}

void sd_evidence_counts_dtlb(struct sd_case *c, struct sd_finding *f)
{
	say(c, f, "dtlb-walks-per-1000", "page walks for data per 1000 instructions");
	say(c, f, "dtlb-walk-share", "share of the cycles in page walks for data");
}

void sd_evidence_counts_sharing(struct sd_case *c, struct sd_finding *f)
{
	say(c, f, "hitm-per-1000", "lines other cores held modified, per 1000 instructions");
	say(c, f, "misses-per-line", "load misses per line waited for");
	say(c, f, "rfo-share", "share of the lines that were read to be written");
	say(c, f, "locks-per-1000", "locked accesses per 1000 instructions");
}

void sd_evidence_counts_locks(struct sd_case *c, struct sd_finding *f)
{
	say(c, f, "locks-per-1000", "locked accesses per 1000 instructions");
	say(c, f, "locks-exclusive",
		"share of the locked accesses that found the line exclusive, as a lock that is "
		"taken");
	say(c, f, "locks-modified", "share of the locked accesses that found the lock written");
	say(c, f, "lock-cycle-share", "share of the cycles with a line locked");
	say(c, f, "split-locks-per-1000", "locks over two lines per 1000 instructions");
}

void sd_evidence_counts_work(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_count *a = &c->before.counts.role[SD_ROLE_INSTRUCTIONS];
	const struct sd_count *b = &c->after.counts.role[SD_ROLE_INSTRUCTIONS];

	if (sd_has((struct sd_value){0, a->status}) && sd_has((struct sd_value){0, b->status}) &&
		a->value > 0)
		sd_case_say(c, f, "instructions for the same work: %.3f times those at %u core%s",
			b->value / a->value / c->last->work, c->ref->cores,
			c->ref->cores == 1 ? "" : "s");
}

void sd_evidence_counts_spin(struct sd_case *c, struct sd_finding *f)
{
	say(c, f, "spin-share", "share of the cycles in PAUSE");
}

void sd_evidence_counts_smt(struct sd_case *c, struct sd_finding *f)
{
	say(c, f, "smt-contention", "share of the slots that the other thread of the core took");
	say(c, f, "cpi", "cycles per instruction of a thread");
	say(c, f, "cpi-per-core", "cycles per instruction of a core");
}

void sd_evidence_counts_clock(struct sd_case *c, struct sd_finding *f)
{
	say(c, f, "clock-rate", "effective clock, GHz");
}
