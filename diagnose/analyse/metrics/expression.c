#include "metrics/expression.h"

#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static muFloat_t least(const muFloat_t *v, muInt_t n)
{
	muFloat_t out = v[0];

	for (muInt_t i = 1; i < n; i++)
		out = fmin(out, v[i]);
	return out;
}

static muFloat_t most(const muFloat_t *v, muInt_t n)
{
	muFloat_t out = v[0];

	for (muInt_t i = 1; i < n; i++)
		out = fmax(out, v[i]);
	return out;
}

static muFloat_t known(const muFloat_t *v, muInt_t n)
{
	muFloat_t sum = 0;
	muInt_t any = 0;

	for (muInt_t i = 0; i < n; i++)
		if (!isnan(v[i])) {
			sum += v[i];
			any++;
		}
	return any ? sum : NAN;
}

static int is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does the name stand in the arguments of known() wherever it stands? */
static int is_optional(const char *text, const char *name)
{
	const size_t n = strlen(name);
	int depth = 0, inside = 0; /* parentheses; those at which a known() is open, plus 1 */

	for (const char *p = text; *p;) {
		size_t length = 0;

		while (is_name(p[length]))
			length++;
		if (length == n && strncmp(p, name, n) == 0 && !inside)
			return 0;
		if (length == 5 && strncmp(p, "known", 5) == 0 && !inside)
			inside = depth + 1;
		if (length) {
			p += length;
			continue;
		}
		depth += *p == '(';
		depth -= *p == ')';
		if (*p == ')' && depth < inside)
			inside = 0;
		p++;
	}
	return 1;
}

/* muParser knows more than a formula needs: strings, assignments, constants, its own functions. */
static int refuse_foreign(const char *text, char *why, size_t size)
{
	static const char known[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_ .+-*/()<>=!?:,&|";
	const char *bad = text + strspn(text, known);

	if (strlen(text) > SD_EXPRESSION_MAX) {
		snprintf(why, size, "is longer than %d bytes", SD_EXPRESSION_MAX);
		return -EINVAL;
	}
	if (*bad) {
		snprintf(why, size, "'%c' has no place in a formula",
			*bad >= ' ' && *bad <= '~' ? *bad : '?');
		return -EINVAL;
	}
	for (const char *p = strchr(text, '='); p; p = strchr(p + 1, '=')) {
		if (p > text && strchr("<>!=", p[-1]))
			continue;
		if (p[1] == '=')
			continue;
		snprintf(why, size, "'=' would assign; to compare, write ==");
		return -EINVAL;
	}
	return 0;
}

static int said(muParserHandle_t h, char *why, size_t size)
{
	if (!mupError(h))
		return 0;
	snprintf(why, size, "%s", mupGetErrorMsg(h));
	return -EINVAL;
}

/* The names that parsing meets, each once. */
struct names {
	char *name[SD_EXPRESSION_NAMES];
	size_t n, met;
	double any; /* the value of each meanwhile */
};

static muFloat_t *note_name(const muChar_t *name, void *to)
{
	struct names *const all = to;

	if (all->met++ < SD_EXPRESSION_NAMES && (all->name[all->n] = strdup(name)))
		all->n++;
	return &all->any;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes the names over. */
static int keep_names(
	struct sd_expression *e, const struct names *all, const char *text, char *why, size_t size)
{
	e->name = calloc(all->n + 1, sizeof *e->name);
	e->slot = calloc(all->n + 1, sizeof *e->slot);
	e->optional = calloc(all->n + 1, sizeof *e->optional);
	if (!e->name || !e->slot || !e->optional)
		return -ENOMEM;
	memcpy(e->name, all->name, all->n * sizeof *e->name);
	e->n = all->n;
	for (size_t i = 0; i < e->n; i++) {
		e->optional[i] = (unsigned char)is_optional(text, e->name[i]);
		mupDefineVar(e->handle, e->name[i], &e->slot[i]);
	}
	return said(e->handle, why, size);
}

/* muParser's own list of names costs a parse of the whole for each: they are noted as they are met.
 */
static int find_names(struct sd_expression *e, const char *text, char *why, size_t size)
{
	struct names all = {.any = 1};
	int rc;

	mupSetVarFactory(e->handle, note_name, &all);
	(void)mupEval(e->handle);
	mupSetVarFactory(e->handle, NULL, NULL);
	rc = said(e->handle, why, size);
	if (!rc && all.met > SD_EXPRESSION_NAMES) {
		snprintf(why, size, "uses more than %d names", SD_EXPRESSION_NAMES);
		rc = -EINVAL;
	}
	if (!rc && all.n < all.met)
		rc = -ENOMEM;
	qsort(all.name, all.n, sizeof *all.name, by_name);
	rc = rc ? rc : keep_names(e, &all, text, why, size);
	for (size_t i = 0; !e->n && i < all.n; i++)
		free(all.name[i]);
	return rc;
}

/* Numbers that have nothing to do with each other, so that only what is zero by itself is zero. */
static double unrelated(size_t i)
{
	return 1e6 * sqrt(2 + 3 * (double)i + 1 / ((double)i + 7));
}

static int try_out(struct sd_expression *e, char *why, size_t size)
{
	int values = 0;
	double v;

	for (size_t i = 0; i < e->n; i++)
		e->slot[i] = unrelated(i);
	mupEvalMulti(e->handle, &values);
	if (said(e->handle, why, size))
		return -EINVAL;
	if (values != 1) {
		snprintf(why, size, "is %d expressions, must be one", values);
		return -EINVAL;
	}
	if (sd_expression_value(e, &v) == 0)
		return 0;
	if (said(e->handle, why, size))
		return -EINVAL;
	snprintf(why, size, "divides by zero, whatever was counted");
	return -EINVAL;
}

int sd_expression_make(struct sd_expression *out, const char *text, char *why, size_t size)
{
	int rc = refuse_foreign(text, why, size);

	*out = (struct sd_expression){0};
	if (rc)
		return rc;
	out->handle = mupCreate(muBASETYPE_FLOAT);
	if (!out->handle)
		return -ENOMEM;
	mupClearConst(out->handle);
	mupClearFun(out->handle);
	mupDefineMultFun(out->handle, "min", least, 1);
	mupDefineMultFun(out->handle, "max", most, 1);
	mupDefineMultFun(out->handle, "known", known, 1);
	mupSetExpr(out->handle, text);
	rc = said(out->handle, why, size);
	if (!rc)
		rc = find_names(out, text, why, size);
	if (!rc)
		rc = try_out(out, why, size);
	if (rc)
		sd_expression_free(out);
	return rc;
}

#define HIDDEN (FE_DIVBYZERO | FE_INVALID)

int sd_expression_value(const struct sd_expression *e, double *out)
{
	double v;

	/* A quotient by zero may be hidden: 1 / (1 / x) is finite at x = 0. Clearing a flag reloads
	 * the whole environment of the FPU, asking does not; nobody else asks. */
	if (fetestexcept(HIDDEN))
		feclearexcept(HIDDEN);
	v = mupEval(e->handle);
	if (fetestexcept(HIDDEN) || !isfinite(v))
		return -EDOM;
	*out = v;
	return 0;
}

int sd_expression_would(const struct sd_expression *e, const unsigned char *there)
{
	double v;

	for (size_t i = 0; i < e->n; i++) {
		if (!there[i] && !e->optional[i])
			return 0;
		e->slot[i] = there[i] ? unrelated(i) : NAN;
	}
	return sd_expression_value(e, &v) == 0;
}

void sd_expression_free(struct sd_expression *e)
{
	if (e->handle)
		mupRelease(e->handle);
	for (size_t i = 0; i < e->n; i++)
		free(e->name[i]);
	free(e->name);
	free(e->slot);
	free(e->optional);
	*e = (struct sd_expression){0};
}
