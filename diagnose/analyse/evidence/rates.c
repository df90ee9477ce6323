#include "evidence/rates.h"

#include "metrics/os_metrics.h"

double sd_rates_cores_spun(const struct sd_case *c, enum sd_part part)
{
	return c->last->known & SD_RUN_PARTS_SAMPLED
		       ? sd_run_parts_spun(&c->last->mean, part) * c->last->n
		       : 0;
}

/* "7.0/s", "18732/s": no powers of ten. */
static int decimals(double rate)
{
	return rate < 10 ? 1 : 0;
}

void sd_rates_say(struct sd_case *c, struct sd_finding *f, enum sd_metric metric, const char *what)
{
	struct sd_value a = sd_os_metrics_rate(c->ref, metric),
			b = sd_os_metrics_rate(c->last, metric);

	if (sd_has(a) && sd_has(b))
		sd_case_say(c, f, "%s: %.*f/s at %u core%s, %.*f/s at %u", what, decimals(a.value),
			a.value, c->ref->cores, c->ref->cores == 1 ? "" : "s", decimals(b.value),
			b.value, c->last->cores);
}

void sd_rates_spun(struct sd_case *c, struct sd_finding *f, enum sd_part part, const char *what)
{
	if (sd_rates_cores_spun(c, part) >= .005)
		sd_case_say(c, f, "%.2f of these cores were not idle: they spun %s",
			sd_rates_cores_spun(c, part), what);
}
