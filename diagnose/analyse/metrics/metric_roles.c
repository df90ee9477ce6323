#include "metrics/metric_roles.h"

#include <string.h>

/*
 * The metrics that causes are judged by, in the order in which causes are common; the others follow
 * as the tables have them.
 */
static const char *const telling[] = {
	/* time and work */
	"cpi",
	"effective-cores",
	/* bandwidth and capacity */
	"lines-per-instruction",
	"memory-bandwidth",
	"cycles-bandwidth",
	"bus-utilisation",
	"bus-latency",
	/* sharing */
	"hitm-per-1000",
	"misses-per-line",
	/* address translation */
	"dtlb-walks-per-1000",
	"cycles-dtlb",
	/* the other ways in which an instruction becomes dearer */
	"cycles-llc",
	"cycles-numa",
	"cycles-smt",
	"memory-bound",
	"core-bound",
	/* locks and waiting in loops */
	"spin-share",
	"locks-per-1000",
	"locks-modified",
	"lock-cycle-share",
	"split-locks-per-1000",
	/* where cycles and lines went */
	"frontend-bound",
	"bad-speculation",
	"retiring",
	"backend-bound",
	"smt-contention",
	"rfo-share",
	"dtlb-walk-share",
};

struct picking {
	const struct sd_formula_tables *f;
	const char *family;
	const unsigned char *can;
	unsigned char has[SD_ROLE_COUNT];
	enum sd_role *out;
	size_t n;
};

static const struct sd_bound_expression *choose(const struct sd_formula_tables *f, unsigned id,
	const char *family, const unsigned char *can);

static int can_be(const struct sd_formula_tables *f, struct sd_reference to, const char *family,
	const unsigned char *can)
{
	if (to.kind == SD_REFERENCE_ROLE)
		return can[to.index];
	return to.kind != SD_REFERENCE_METRIC || choose(f, to.index, family, can) != NULL;
}

/* With what can be counted, does it have a value? */
static int is_countable(const struct sd_formula_tables *f, const struct sd_bound_expression *e,
	const char *family, const unsigned char *can)
{
	unsigned char there[SD_EXPRESSION_NAMES];

	for (size_t i = 0; i < e->expression.n; i++)
		there[i] = can_be(f, e->to[i], family, can) != 0;
	return sd_expression_would(&e->expression, there);
}

/* The first formula whose roles can be counted; NULL: there is none. As deep as one formula names
 * another: the tables have no circles. */
static const struct sd_bound_expression *choose(const struct sd_formula_tables *f, unsigned id,
	const char *family, const unsigned char *can)
{
	const struct sd_formula *const row = sd_formula_tables_find(f, id, family);

	for (size_t k = 0; row && k < row->n_value; k++)
		if (is_countable(f, &row->value[k], family, can))
			return &row->value[k];
	return NULL;
}

static void add_metric(struct picking *p, unsigned id)
{
	const struct sd_bound_expression *const e = choose(p->f, id, p->family, p->can);

	for (size_t i = 0; e && i < e->expression.n; i++) {
		const unsigned to = e->to[i].index;

		if (e->to[i].kind == SD_REFERENCE_METRIC) {
			add_metric(p, to);
		} else if (e->to[i].kind == SD_REFERENCE_ROLE && p->can[to] && !p->has[to]) {
			p->has[to] = 1;
			p->out[p->n++] = (enum sd_role)to;
		}
	}
}

size_t sd_metric_roles_order(const struct sd_formula_tables *f, const char *family,
	const unsigned char *can,
	enum sd_role *out) /* written by way of p: NOLINT(readability-non-const-parameter) */
{
	struct picking p = {.f = f, .family = family, .can = can, .out = out};

	for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
		for (unsigned id = 0; id < f->n_name; id++)
			if (strcmp(f->name[id], telling[i]) == 0)
				add_metric(&p, id);
	for (unsigned id = 0; id < f->n_name; id++)
		add_metric(&p, id);
	return p.n;
}

size_t sd_metric_roles_unused(const struct sd_formula_tables *f, const char *family,
	const struct sd_record *record, enum sd_role *out)
{
	/* what the analysis reads without a metric */
	static const enum sd_role read[] = {SD_ROLE_CYCLES, SD_ROLE_INSTRUCTIONS,
		SD_ROLE_REF_CYCLES, SD_ROLE_SYSTEM_CALLS, SD_ROLE_HAND_OVERS};
	unsigned char can[SD_ROLE_COUNT] = {0};
	unsigned char unused[SD_ROLE_COUNT];
	size_t n = 0;

	for (size_t i = 0; i < record->n_run; i++)
		for (size_t k = 0; k < record->run[i].n_role; k++)
			can[record->run[i].role[k].role] = 1;
	memcpy(unused, can, sizeof can);
	for (unsigned id = 0; id < f->n_name; id++) {
		const struct sd_formula *const row = sd_formula_tables_find(f, id, family);

		for (size_t k = 0; row && k < row->n_value; k++)
			for (size_t i = 0; is_countable(f, &row->value[k], family, can) &&
					   i < row->value[k].expression.n;
				i++)
				if (row->value[k].to[i].kind == SD_REFERENCE_ROLE)
					unused[row->value[k].to[i].index] = 0;
	}
	for (size_t i = 0; i < sizeof read / sizeof *read; i++)
		unused[read[i]] = 0;
	for (unsigned i = 0; i < SD_ROLE_COUNT; i++)
		if (unused[i] && !sd_role_is_sampled((enum sd_role)i))
			out[n++] = (enum sd_role)i;
	return n;
}

size_t sd_metric_roles_where(const struct sd_formula_tables *f, const char *family,
	const unsigned char *can, struct sd_metric_where *out)
{
	enum sd_role role[SD_ROLE_COUNT] = {0};
	struct picking p = {.f = f, .family = family, .can = can, .out = role};

	for (unsigned id = 0; id < f->n_name; id++) {
		const struct sd_formula *const row = sd_formula_tables_find(f, id, family);
		const size_t before = p.n;

		if (row && row->where)
			add_metric(&p, id);
		for (size_t i = before; i < p.n; i++)
			out[i] = (struct sd_metric_where){role[i], row->where};
	}
	return p.n;
}

static int counts(const struct sd_plan_pass *pass, enum sd_role role)
{
	for (size_t i = 0; i < pass->n_role; i++)
		if (pass->role[i] == role)
			return 1;
	return 0;
}

/* Adds the first pass that counts the role, unless one of the list does, or every pass. */
static int add_pass(const struct sd_plan *plan, enum sd_role role, struct sd_pass_list *out)
{
	size_t has = 0, first = plan->n_pass;

	for (size_t i = 0; i < out->n; i++)
		if (counts(&plan->pass[out->pass[i]], role))
			return 1;
	for (size_t i = plan->n_pass; i-- > 0;)
		if (counts(&plan->pass[i], role)) {
			first = i;
			has++;
		}
	if (has == plan->n_pass)
		return 1;
	if (out->n == SD_PASS_LIST)
		return 0;
	out->pass[out->n++] = (unsigned)first;
	return 1;
}

void sd_metric_roles_passes(const struct sd_formula_tables *f, const char *family,
	const struct sd_plan *plan, enum sd_component component, struct sd_pass_list *out)
{
	unsigned char can[SD_ROLE_COUNT] = {0};
	enum sd_role role[SD_ROLE_COUNT];
	struct picking p = {.f = f, .family = family, .can = can, .out = role};
	int fits = 1;

	*out = (struct sd_pass_list){.n = 0};
	for (size_t i = 0; i < plan->n_pass; i++)
		for (size_t k = 0; k < plan->pass[i].n_role; k++)
			can[plan->pass[i].role[k]] = 1;
	for (unsigned id = 0; id < f->n_name; id++) {
		const struct sd_formula *const row = sd_formula_tables_find(f, id, family);

		if (row && row->component == component)
			add_metric(&p, id);
	}
	for (size_t i = 0; i < p.n && fits; i++)
		fits = add_pass(plan, role[i], out);
	if (!fits)
		out->n = 0;
}

int sd_metric_roles_enough(const struct sd_formula_tables *f, unsigned id, const char *family,
	const unsigned char *can)
{
	return choose(f, id, family, can) != NULL;
}
