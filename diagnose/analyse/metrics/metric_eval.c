#include "metrics/metric_eval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/os_metrics.h"

/* Every CPU family of the event maps has cache lines of this size. */
#define LINE_BYTES 64

int sd_metric_eval_make(struct sd_model *m, const struct sd_record *record,
	const struct sd_run_selection *choice, const struct sd_formula_tables *f)
{
	*m = (struct sd_model){.f = f, .record = record};
	for (size_t i = 0; f && !m->family && i < choice->n_point; i++)
		m->family = sd_role_counts_family(&choice->point[i]);
	if (!f || !m->family)
		return 0;
	m->row = calloc(f->n_name + 1, sizeof(const struct sd_formula *));
	if (!m->row)
		return -ENOMEM;
	for (unsigned id = 0; id < f->n_name; id++)
		m->row[id] = sd_formula_tables_find(f, id, m->family);
	return 0;
}

void sd_metric_eval_free(struct sd_model *m)
{
	free(m->row);
	*m = (struct sd_model){0};
}

static double threads_per_core(const struct sd_record *r, unsigned n)
{
	const struct sd_host *h = &r->host;

	if (h->cores == 0 || h->allowed < h->cores)
		return 0;
	if (r->program.placement == SD_PLACEMENT_SMT) {
		double most = (double)h->allowed / h->cores;

		return fmin(most, n);
	}
	return n > h->cores ? (double)n / h->cores : 1;
}

static struct sd_value positive(double v)
{
	return isfinite(v) && v > 0 ? SD_OK(v) : SD_NOT(ABSENT);
}

void sd_metric_eval_point(const struct sd_model *m, const struct sd_chosen *p,
	const unsigned *times, struct sd_metric_eval_point *out)
{
	const struct sd_calibration *c = &m->record->calibration;
	struct sd_value *t = out->term;
	const struct sd_count *cycles;
	double user = sd_run_parts_user(&p->mean) * p->n * p->median_time;

	memset(t, 0, sizeof out->term);
	sd_role_counts_make(p, times, &out->counts);
	cycles = &out->counts.role[SD_ROLE_CYCLES];
	t[SD_TERM_CORES] = SD_OK(p->n);
	t[SD_TERM_SOCKETS] = positive(m->record->host.packages);
	t[SD_TERM_WALL] = positive(p->median_time);
	t[SD_TERM_CPU_TIME] = positive(out->counts.cpu);
	if (p->known & SD_RUN_PARTS_CPU)
		t[SD_TERM_USER_TIME] = positive(user);
	t[SD_TERM_TSC_HZ] = m->record->host.tsc_hz;
	if (out->counts.cpu > 0 && cycles->status != SD_STATUS_ABSENT)
		t[SD_TERM_FREQUENCY] = positive(cycles->value / out->counts.cpu);
	t[SD_TERM_LINE_BYTES] = SD_OK(LINE_BYTES);
	t[SD_TERM_THREADS_PER_CORE] = positive(threads_per_core(m->record, p->n));
	t[SD_TERM_COST_L2] = c->l2;
	t[SD_TERM_COST_LLC] = c->llc;
	t[SD_TERM_COST_DRAM] = c->dram;
	t[SD_TERM_COST_REMOTE] = c->remote;
	t[SD_TERM_COST_LINE] = c->line;
	t[SD_TERM_COST_WALK] = c->walk;
	t[SD_TERM_CEILING] = sd_calibration_at(c, p->n);
	t[SD_TERM_CEILING_CORE] = sd_calibration_at(c, 1);
}

static void worst(struct sd_metric_eval_result *out, const struct sd_metric_eval_result *in)
{
	out->status = in->status > out->status ? in->status : out->status;
	out->quality = in->quality > out->quality ? in->quality : out->quality;
	out->shared |= in->shared;
	out->weak |= in->weak;
	out->cells |= in->cells;
}

/* A sight that names no place has all of them, and likewise of accesses. */
static unsigned cells_of(unsigned sees)
{
	const unsigned places = sees & SD_SIGHT_PLACES ? sees & SD_SIGHT_PLACES : SD_SIGHT_PLACES;
	const unsigned accesses =
		sees & SD_SIGHT_ACCESSES ? sees & SD_SIGHT_ACCESSES : SD_SIGHT_ACCESSES;
	unsigned cells = 0;

	if (!(sees & (SD_SIGHT_PLACES | SD_SIGHT_ACCESSES)))
		return 0;
	for (unsigned p = 0; p < SD_METRIC_EVAL_PLACES; p++)
		for (unsigned a = 0; a < 2; a++)
			if (places >> (SD_SIGHT_COMPLEX + p) & 1 &&
				accesses >> (SD_SIGHT_LOADS + a) & 1)
				cells |= SD_METRIC_EVAL_CELL(p, a);
	return cells;
}

static struct sd_metric_eval_result of_count(const struct sd_count *c)
{
	return (struct sd_metric_eval_result){.value = c->value,
		.status = c->status,
		.quality = c->quality,
		.shared = c->shared,
		.weak = c->weak,
		.cells = cells_of(c->sees)};
}

static struct sd_metric_eval_result of_term(const struct sd_metric_eval_point *p, unsigned term)
{
	const struct sd_metric_eval_result cycles = of_count(&p->counts.role[SD_ROLE_CYCLES]);
	struct sd_metric_eval_result out = {
		.value = p->term[term].value, .status = p->term[term].status};

	/* this one was counted: it is as good as the count */
	if (term == SD_TERM_FREQUENCY && sd_has(p->term[term]))
		worst(&out, &cycles);
	return out;
}

static struct sd_metric_eval_result input(
	const struct sd_model *m, const struct sd_metric_eval_point *p, struct sd_reference to)
{
	if (to.kind == SD_REFERENCE_METRIC)
		return m->row[to.index]
			       ? sd_metric_eval_evaluate(m, p, m->row[to.index])
			       : (struct sd_metric_eval_result){.status = SD_STATUS_ABSENT};
	return to.kind == SD_REFERENCE_TERM ? of_term(p, to.index)
					    : of_count(&p->counts.role[to.index]);
}

static struct sd_metric_eval_result compute(const struct sd_model *m,
	const struct sd_metric_eval_point *p, const struct sd_bound_expression *e)
{
	struct sd_metric_eval_result out = {.status = SD_STATUS_OK};

	for (size_t i = 0; i < e->expression.n; i++) {
		struct sd_metric_eval_result in = input(m, p, e->to[i]);

		const int there = sd_has((struct sd_value){0, in.status});

		if (!there && !e->expression.optional[i]) {
			out.status = in.status; /* why there is none */
			return out;
		}
		if (there)
			worst(&out, &in);
		e->expression.slot[i] = there ? in.value : NAN;
	}
	if (sd_expression_value(&e->expression, &out.value))
		out.status = SD_STATUS_ABSENT;
	return out;
}

struct sd_metric_eval_result sd_metric_eval_evaluate(const struct sd_model *m,
	const struct sd_metric_eval_point *p, const struct sd_formula *row)
{
	struct sd_metric_eval_result out = {.status = SD_STATUS_ABSENT}, limit;

	for (size_t i = 0; i < row->n_value; i++) {
		out = compute(m, p, &row->value[i]);
		if (sd_has((struct sd_value){0, out.status}))
			break;
	}
	if (row->threshold == SD_THRESHOLD_NONE || !sd_has((struct sd_value){0, out.status}))
		return out;
	limit = compute(m, p, &row->limit);
	if (sd_has((struct sd_value){0, limit.status}))
		out.over = row->threshold == SD_THRESHOLD_ABOVE ? out.value > limit.value
								: out.value < limit.value;
	return out;
}

struct sd_metric_eval_result sd_metric_eval_named(
	const struct sd_model *m, const struct sd_metric_eval_point *p, const char *name)
{
	const struct sd_formula *row =
		m->row ? sd_formula_tables_named(m->f, name, m->family) : NULL;

	return row ? sd_metric_eval_evaluate(m, p, row)
		   : (struct sd_metric_eval_result){.status = SD_STATUS_ABSENT};
}

int sd_metric_eval_usable(struct sd_metric_eval_result r)
{
	return sd_has((struct sd_value){0, r.status}) && !r.weak;
}

static int ends_in_instructions(const char *name)
{
	static const char end[] = "-instructions";
	size_t n = strlen(name);

	return n >= sizeof end && strcmp(name + n - (sizeof end - 1), end) == 0;
}

/* A machine that is modelled with its times says what its threads stood still for: nothing of what
 * moves of lines took is left to a formula. 1; 0: no such machine. */
static int take_moves(const struct sd_chosen *p, struct sd_run_parts *out)
{
	const struct sd_value user = sd_os_metrics_median(p, SD_METRIC_USER),
			      wait = sd_os_metrics_median(p, SD_METRIC_WAIT_TRANSFER);

	if (!sd_has(wait) || !(user.value > 0) || !(out->instructions > 0))
		return 0;
	out->stall[SD_STALL_SHARING] = wait.value / user.value * out->cycles / out->instructions;
	return 1;
}

unsigned sd_metric_eval_mechanisms(const struct sd_model *m, const struct sd_chosen *p,
	const unsigned *times, struct sd_run_parts *out)
{
	struct sd_metric_eval_point point = {0};
	unsigned found;

	if (!m->row)
		return 0;
	found = take_moves(p, out) ? SD_RUN_PARTS_STALL(SD_STALL_SHARING) : 0;
	sd_metric_eval_point(m, p, times, &point);
	for (unsigned id = 0; id < m->f->n_name; id++) {
		const struct sd_formula *row = m->row[id];
		struct sd_metric_eval_result r;

		if (!row || row->component == SD_COMPONENT_COUNT)
			continue;
		r = sd_metric_eval_evaluate(m, &point, row);
		if (!sd_metric_eval_usable(r) || r.value < 0)
			continue;
		if (row->component == SD_COMPONENT_SPINNING) {
			if (ends_in_instructions(row->name)) {
				out->spin_instructions = fmin(r.value, .999);
			} else {
				out->spin = fmin(r.value, .999);
				found |= SD_RUN_PARTS_SPIN;
			}
			continue;
		}
		for (int k = 0; k < SD_STALL_COUNT; k++)
			if (sd_stall_component[k] == row->component &&
				!(found & SD_RUN_PARTS_STALL(k))) {
				out->stall[k] = r.value;
				found |= SD_RUN_PARTS_STALL(k);
			}
	}
	return found;
}
