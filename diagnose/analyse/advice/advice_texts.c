#include "advice/advice_texts.h"

#include <ctype.h>
#include <errno.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice_facts.h"
#include "base/config_fields.h"
#include "base/one_more.h"
#include "hotspots/others_code.h"
#include "case/case.h"
#include "base/near_path.h"

enum { TEXT_MOST = 500, ROWS_MOST = 1000 };

static const char *const fact_name[SD_FACT_COUNT] = {
#define X(id, name, meaning) [SD_FACT_##id] = name,
	SD_FACTS(X)
#undef X
};

/* ---- reading -------------------------------------------------------------------------------- */

struct remedies_reader {
	struct sd_advice_texts *r;
	const char *file;
	const struct sd_sink *sink;
};

static int refuse(const struct remedies_reader *x, const config_setting_t *s, const char *what)
{
	sd_say(x->sink, SD_LEVEL_ERROR, "%s:%u: %s", x->file, s ? config_setting_source_line(s) : 1,
		what);
	return -EINVAL;
}

static int fact_of(const char *name)
{
	int k = 0;

	while (k < SD_FACT_COUNT && strcmp(fact_name[k], name) != 0)
		k++;
	return k;
}

/* 0 and *out: a printable string of the row; -EINVAL, said. */
static int string_in(
	const struct remedies_reader *x, config_setting_t *row, const char *key, const char **out)
{
	const config_setting_t *const s = config_setting_get_member(row, key);
	const char *const v = s ? config_setting_get_string(s) : NULL;

	if (!v || !*v || strlen(v) > TEXT_MOST)
		return refuse(x, s ? s : row,
			"a row of advice has a cause, a text and a source: strings, not empty, of "
			"at most 500 characters");
	for (const char *c = v; *c; c++)
		if (!isprint((unsigned char)*c))
			return refuse(x, s, "holds a character that does not print");
	*out = v;
	return 0;
}

static int keep_text(struct sd_advice_texts *r, const char *text, const char **out)
{
	const int rc = sd_texts_add(&r->strings, "%s", text);

	*out = rc ? NULL : r->strings.text[r->strings.n - 1];
	return rc;
}

static int read_when(
	const struct remedies_reader *x, config_setting_t *row, struct sd_expression *out)
{
	const config_setting_t *const s = config_setting_get_member(row, "when");
	const char *text = NULL;
	char why[256] = "";
	int rc;

	if (!s)
		return 0;
	rc = string_in(x, row, "when", &text);
	if (rc)
		return rc;
	rc = sd_expression_make(out, text, why, sizeof why);
	if (rc == -EINVAL)
		return refuse(x, s, why);
	for (size_t i = 0; !rc && i < out->n; i++)
		if (fact_of(out->name[i]) == SD_FACT_COUNT)
			return refuse(x, s, "when: names something that is no fact");
	return rc;
}

static int read_row_into(
	const struct remedies_reader *x, config_setting_t *row, struct sd_remedy *out)
{
	const char *cause = NULL, *text = NULL, *source = NULL;
	int rc, k = 0;

	if (!config_setting_is_group(row))
		return refuse(x, row, "a row of advice is a group { ... }");
	for (int i = 0; i < config_setting_length(row); i++) {
		const config_setting_t *const s = config_setting_get_elem(row, (unsigned)i);
		const char *const name = config_setting_name(s);

		if (strcmp(name, "cause") != 0 && strcmp(name, "when") != 0 &&
			strcmp(name, "text") != 0 && strcmp(name, "source") != 0 &&
			strcmp(name, "otherwise") != 0)
			return refuse(x, s,
				"no such setting: cause, when, text, source and otherwise are");
	}
	if ((rc = string_in(x, row, "cause", &cause)) || (rc = string_in(x, row, "text", &text)) ||
		(rc = string_in(x, row, "source", &source)))
		return rc;
	while (k < SD_CAUSE_COUNT && strcmp(sd_cause_info[k].name, cause) != 0)
		k++;
	if (k == SD_CAUSE_COUNT)
		return refuse(x, config_setting_get_member(row, "cause"), "no such cause");
	out->cause = (enum sd_cause)k;
	(void)config_setting_lookup_bool(row, "otherwise", &out->otherwise);
	rc = read_when(x, row, &out->when);
	if (!rc)
		rc = keep_text(x->r, text, &out->text);
	return rc ? rc : keep_text(x->r, source, &out->source);
}

static int read_rows(const struct remedies_reader *x, const config_t *config)
{
	const config_setting_t *const root = config_root_setting(config);
	config_setting_t *const list = config_setting_get_member(root, "advice");

	if (!list || !config_setting_is_list(list) || config_setting_length(root) != 1 ||
		config_setting_length(list) > ROWS_MOST)
		return refuse(x, list, "advice: must be the one list ( ... ), of at most 1000");
	for (int i = 0; i < config_setting_length(list); i++) {
		int rc = SD_APPEND(x->r->row, x->r->n, &(struct sd_remedy){0});

		if (!rc)
			rc = read_row_into(x, config_setting_get_elem(list, (unsigned)i),
				&x->r->row[x->r->n - 1]);
		if (rc)
			return rc;
	}
	return 0;
}

int sd_advice_texts_add(struct sd_advice_texts *r, const char *file, const char *text, size_t size,
	const struct sd_sink *sink)
{
	const struct remedies_reader x = {.r = r, .file = file, .sink = sink};
	config_t config;
	int rc = sd_config_fields_parse(&config, file, text, size, sink);

	if (rc)
		return rc;
	rc = read_rows(&x, &config);
	config_destroy(&config);
	return rc;
}

void sd_advice_texts_free(struct sd_advice_texts *r)
{
	for (size_t i = 0; i < r->n; i++)
		sd_expression_free(&r->row[i].when);
	free(r->row);
	sd_texts_free(&r->strings);
	*r = (struct sd_advice_texts){0};
}

/* ---- choosing ------------------------------------------------------------------------------- */

static int remedy_holds(const struct sd_remedy *r, const struct sd_advice_facts *facts)
{
	double v = 0;

	for (size_t i = 0; i < r->when.n; i++) {
		const struct sd_value x = facts->value[fact_of(r->when.name[i])];

		if (x.status != SD_STATUS_OK)
			return 0;
		r->when.slot[i] = x.value;
	}
	return !r->when.handle || (sd_expression_value(&r->when, &v) == 0 && v != 0);
}

/* The first place of the cause, where it is code of the program itself; NULL otherwise. */
static const struct sd_where *place_of(const struct sd_finding *f)
{
	const struct sd_where *const w = f->n_where ? &f->where[0] : NULL;

	return w && (w->interpreter || (w->module && sd_others_code_is(w->module))) ? NULL : w;
}

static int calls_itself(const struct sd_where *w)
{
	return w->function && w->from && strcmp(w->function, w->from) == 0;
}

/* Bytes of the place that the text begins with, and in *named those of what it is here; 0: that is
 * not known. */
static size_t put_place(const char *text, const struct sd_where *w, const char *folder, char *out,
	size_t size, size_t *named)
{
	const struct {
		const char *place, *name;
	} function[] = {{"{function}", w ? w->function : NULL}, {"{in}", w ? w->in : NULL},
		{"{from}", w && !calls_itself(w) ? w->from : NULL}};
	static const char line[] = "{line}", count[] = "{n}";

	if (strncmp(text, count, sizeof count - 1) == 0) { /* as the user writes it */
		*named = (size_t)snprintf(out, size, "%s", count);
		return sizeof count - 1;
	}
	for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
		const char *const name = function[i].name;

		if (strncmp(text, function[i].place, strlen(function[i].place)) != 0)
			continue;
		if (!name)
			return 0;
		*named = (size_t)snprintf(out, size, "%s%s", name, strpbrk(name, "([") ? "" : "()");
		return strlen(function[i].place);
	}
	if (strncmp(text, line, sizeof line - 1) != 0 || !w || !w->file || !w->line)
		return 0;
	*named = (size_t)snprintf(out, size, "%s:%u", sd_near_path(w->file, folder), w->line);
	return sizeof line - 1;
}

/* The text with its places filled in; 0 when one of them is not known. */
static int fill_in(
	const char *text, const struct sd_finding *f, const char *folder, char *out, size_t size)
{
	const struct sd_where *const w = place_of(f);
	size_t n = 0;

	while (*text && n + 1 < size) {
		size_t place = 0, named = 0;

		if (*text == '{') {
			place = put_place(text, w, folder, out + n, size - n, &named);
			if (!place)
				return 0;
			n += named;
			text += place;
		} else {
			out[n++] = *text++;
		}
	}
	if (n >= size) /* a name longer than any advice */
		return 0;
	out[n] = '\0';
	return 1;
}

/* Does it say more than what holds for the cause always? */
static int is_special(const struct sd_remedy *r)
{
	return r->when.handle || strchr(r->text, '{');
}

/* Is one of the rows told that this one stands for? */
static int is_said(const struct sd_advice_texts *r, size_t row, const size_t *told, size_t n)
{
	size_t first = row;

	while (first > 0 && r->row[first].otherwise)
		first--;
	for (size_t k = 0; k < n; k++)
		if (told[k] >= first && told[k] < row)
			return 1;
	return 0;
}

static void advise_finding(struct sd_case *c, const struct sd_advice_texts *r,
	const struct sd_advice_facts *facts, struct sd_finding *f)
{
	struct sd_texts told = {0};
	char text[2 * TEXT_MOST];
	size_t of[SD_ADVICE_TEXTS_MOST] = {0};

	for (int plain = 0; plain < 2; plain++)
		for (size_t i = 0; i < r->n && told.n < SD_ADVICE_TEXTS_MOST; i++) {
			const struct sd_remedy *const row = &r->row[i];

			if (row->cause != f->cause || plain == is_special(row) ||
				!remedy_holds(row, facts) || is_said(r, i, of, told.n) ||
				!fill_in(row->text, f, c->record->program.cwd, text, sizeof text))
				continue;
			of[told.n] = i;
			c->rc |= sd_texts_add(&told, "%s", text);
		}
	if (told.n == 0)
		return;
	sd_texts_free(&f->advice);
	f->advice = told;
}

void sd_advice_texts_fill(struct sd_case *c, const struct sd_advice_texts *r)
{
	struct sd_advice_facts facts;

	sd_advice_facts_gather(c, &facts);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		struct sd_finding *const f = &c->a->finding[i];

		if (f->advice.n == 0)
			continue;
		sd_advice_facts_place(c, f, &facts);
		facts.value[SD_FACT_SHARE] = (struct sd_value){f->share.value, f->share.status};
		advise_finding(c, r, &facts, f);
	}
}
