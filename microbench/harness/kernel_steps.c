#include "harness/kernel_steps.h"
#include "base/clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

struct sd_bench_row sd_kernel_steps_row(const struct sd_kernel_steps *steps,
	const struct sd_cpulist *cpus, const char *unit, const char *variant, ...)
{
	struct sd_bench_row row = {
		.kernel = steps->kernel, .cores = 1, .parameter_unit = "", .unit = unit};
	va_list ap;

	va_start(ap, variant);
	vsnprintf(row.variant, sizeof(row.variant), variant, ap);
	va_end(ap);
	if (cpus)
		sd_rows_cpus(&row, cpus);
	return row;
}

int sd_kernel_steps_stopped(const struct sd_kernel_steps *steps)
{
	return steps->env->stop && *steps->env->stop ? -EINTR : 0;
}

static void step_done(struct sd_kernel_steps *steps)
{
	const struct sd_kernel_env *env = steps->env;

	if (steps->done < steps->total)
		steps->done++;
	if (env->progress && steps->total)
		env->progress(env->progress_ctx, steps->kernel,
			(double)steps->done / (double)steps->total);
}

/* The time left in equal shares. When it is used up a measurement still gets one sample. */
static double share(struct sd_kernel_steps *steps)
{
	size_t left = steps->done < steps->total ? steps->total - steps->done : 1;
	double rest;

	if (steps->env->budget_s <= 0)
		return 0;
	if (steps->begin <= 0)
		steps->begin = sd_clock_s();
	rest = (steps->begin + steps->env->budget_s - sd_clock_s()) / (double)left;
	return rest > 1e-6 ? rest : 1e-6;
}

int sd_kernel_steps_failed(struct sd_kernel_steps *steps, int error,
	const struct sd_bench_row *like, size_t n_like, struct sd_bench_rows *rows)
{
	int rc = 0;

	for (size_t i = 0; i < n_like && !rc; i++)
		rc = sd_rows_error(rows, &like[i], error);
	step_done(steps);
	return rc;
}

int sd_kernel_steps_take(struct sd_kernel_steps *steps, unsigned wanted,
	int (*measure)(void *ctx, struct sd_sample *s), void *ctx, const struct sd_bench_row *like,
	size_t n_like, struct sd_bench_rows *rows)
{
	struct sd_sample_plan plan = {
		.env = steps->env, .wanted = wanted, .budget_s = share(steps)};
	struct sd_samples samples = {0};
	int rc = sd_kernel_steps_stopped(steps);

	if (rc)
		return rc;
	rc = sd_samples_take(&samples, &plan, measure, ctx);
	if (rc && samples.n == 0) {
		rc = sd_kernel_steps_failed(steps, rc, like, n_like, rows);
		goto out;
	}
	/* Samples taken before a failure or Ctrl-C are measured all the same. */
	for (size_t i = 0; i < n_like && (!rc || rc != -ENOMEM); i++) {
		int added = sd_samples_rows(&samples, (unsigned)i, &like[i], rows);

		rc = added ? added : rc;
	}
	rc = rc == -EINTR || rc == -ENOMEM ? rc : 0;
	step_done(steps);
out:
	sd_samples_free(&samples);
	return rc;
}
