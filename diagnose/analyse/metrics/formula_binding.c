/* The second half of reading metric tables: what the names in their formulas stand for. */
#include "metrics/formula_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const term_name[SD_TERM_COUNT] = {
#define X(id, name, meaning) [SD_TERM_##id] = name,
	SD_TERMS(X)
#undef X
};

/* In formulas '-' would be a minus: metrics are named there with '_'. */
static int same_name(const char *metric, const char *in_formula)
{
	for (; *metric && *in_formula; metric++, in_formula++)
		if (*in_formula != (*metric == '-' ? '_' : *metric))
			return 0;
	return *metric == *in_formula;
}

static int resolve(const struct sd_formula_tables *f, const char *name, struct sd_reference *out)
{
	enum sd_role role;

	if (sd_role_parse(name, &role) == 0) {
		*out = (struct sd_reference){SD_REFERENCE_ROLE, role};
		return 0;
	}
	for (unsigned i = 0; i < SD_TERM_COUNT; i++)
		if (strcmp(term_name[i], name) == 0) {
			*out = (struct sd_reference){SD_REFERENCE_TERM, i};
			return 0;
		}
	for (unsigned i = 0; i < f->n_name; i++)
		if (same_name(f->name[i], name)) {
			*out = (struct sd_reference){SD_REFERENCE_METRIC, i};
			return 0;
		}
	return -EINVAL;
}

static int bind(const struct sd_formula_tables *f, const struct sd_formula *row,
	struct sd_bound_expression *e, const struct sd_sink *sink)
{
	if (e->to || e->expression.n == 0)
		return 0;
	e->to = calloc(e->expression.n, sizeof *e->to);
	if (!e->to)
		return -ENOMEM;
	for (size_t i = 0; i < e->expression.n; i++) {
		if (resolve(f, e->expression.name[i], &e->to[i]) == 0)
			continue;
		sd_say(sink, SD_LEVEL_ERROR,
			"%s:%u: metric \"%s\": \"%.60s\" is no role, no term and no metric",
			row->file, row->line, row->name, e->expression.name[i]);
		return -EINVAL;
	}
	return 0;
}

enum mark { UNSEEN, OPEN, DONE };

/* One walk through the formulas of one family. */
struct walk {
	const struct sd_formula_tables *f;
	const char *family;
	unsigned char *mark; /* by id */
	const struct sd_sink *sink;
};

static int visit(const struct walk *w, unsigned id);

static int visit_all(
	const struct walk *w, const struct sd_formula *row, const struct sd_bound_expression *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < e->expression.n; i++) {
		if (e->to[i].kind != SD_REFERENCE_METRIC)
			continue;
		if (w->mark[e->to[i].index] == OPEN) {
			sd_say(w->sink, SD_LEVEL_ERROR,
				"%s:%u: metric \"%s\": its formula leads back to itself through \"%s\"",
				row->file, row->line, row->name, w->f->name[e->to[i].index]);
			return -EINVAL;
		}
		rc = visit(w, e->to[i].index);
	}
	return rc;
}

/* As deep as one formula names another; the tables bound how many there are. */
static int visit(const struct walk *w, unsigned id)
{
	const struct sd_formula *row = sd_formula_tables_find(w->f, id, w->family);
	int rc = 0;

	if (w->mark[id] == DONE)
		return 0;
	w->mark[id] = OPEN;
	for (size_t k = 0; row && rc == 0 && k < row->n_value; k++)
		rc = visit_all(w, row, &row->value[k]);
	if (row && rc == 0)
		rc = visit_all(w, row, &row->limit);
	w->mark[id] = DONE;
	return rc;
}

static int check_cycles(const struct sd_formula_tables *f, const char *family, unsigned char *mark,
	const struct sd_sink *sink)
{
	const struct walk w = {.f = f, .family = family, .mark = mark, .sink = sink};
	int rc = 0;

	memset(mark, UNSEEN, f->n_name);
	for (unsigned id = 0; rc == 0 && id < f->n_name; id++)
		rc = visit(&w, id);
	return rc;
}

/* The families named anywhere, each once. */
static int check_families(
	const struct sd_formula_tables *f, unsigned char *mark, const struct sd_sink *sink)
{
	struct sd_texts seen = {0};
	int rc = check_cycles(f, NULL, mark, sink);

	for (size_t i = 0; rc == 0 && i < f->n; i++)
		for (size_t k = 0; rc == 0 && k < f->row[i].n_family; k++) {
			size_t before = seen.n;

			rc = sd_texts_add_once(&seen, f->row[i].family[k]);
			if (rc == 0 && seen.n > before)
				rc = check_cycles(f, f->row[i].family[k], mark, sink);
		}
	sd_texts_free(&seen);
	return rc;
}

int sd_formula_tables_finish(struct sd_formula_tables *f, const struct sd_sink *sink)
{
	unsigned char *mark = calloc(f->n_name + 1, 1);
	int rc = mark ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < f->n; i++) {
		struct sd_formula *row = &f->row[i];

		for (size_t k = 0; rc == 0 && k < row->n_value; k++)
			rc = bind(f, row, &row->value[k], sink);
		if (rc == 0)
			rc = bind(f, row, &row->limit, sink);
	}
	if (rc == 0)
		rc = check_families(f, mark, sink);
	free(mark);
	return rc;
}

const struct sd_formula *sd_formula_tables_find(
	const struct sd_formula_tables *f, unsigned id, const char *family)
{
	const struct sd_formula *any = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct sd_formula *row = &f->row[i];

		if (row->id != id)
			continue;
		if (row->n_family == 0)
			any = row;
		for (size_t k = 0; family && k < row->n_family; k++)
			if (strcmp(row->family[k], family) == 0)
				return row;
	}
	return any;
}

const struct sd_formula *sd_formula_tables_named(
	const struct sd_formula_tables *f, const char *name, const char *family)
{
	for (unsigned i = 0; i < f->n_name; i++)
		if (strcmp(f->name[i], name) == 0)
			return sd_formula_tables_find(f, i, family);
	return NULL;
}
