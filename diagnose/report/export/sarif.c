#include <errno.h>
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "export/remark.h"
#include "export/review.h"
#include "render/json_values.h"
#include "page/interval_text.h"
#include "page/sanitize.h"
#include "page/short_names.h"
#include "view/view.h"

#define SCHEMA                                                                \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" \
	"sarif-schema-2.1.0.json"
#define ROOT "SRCROOT"

/* Every function returns a new reference, or NULL without memory. */

/* The bytes of a path as those of a URI (RFC 3986): all but unreserved ones and '/' escaped. */
static void put_uri(FILE *f, const char *path)
{
	for (; *path; path++)
		if (isalnum((unsigned char)*path) ? (unsigned char)*path < 0x80
						  : strchr("/-._~", *path) != NULL)
			fputc(*path, f);
		else
			fprintf(f, "%%%02X", (unsigned char)*path);
}

/* `folder`: ends in '/'. */
static json_t *uri_of(const char *path, int folder)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);
	json_t *out;

	if (!f)
		return NULL;
	if (path[0] == '/')
		fputs("file://", f);
	put_uri(f, path);
	if (folder && path[0] && path[strlen(path) - 1] != '/')
		fputc('/', f);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	out = json_string(text);
	free(text);
	return out;
}

static int put(json_t *object, const char *name, json_t *value)
{
	return object && value ? json_object_set_new(object, name, value)
			       : (json_decref(value), -1);
}

static json_t *whole(json_t *object, int failed)
{
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

/* {name: text}; takes the text. */
static json_t *named(const char *name, char *text)
{
	json_t *const out = text ? json_pack("{s:o}", name, sd_json_text(text)) : NULL;

	free(text);
	return out;
}

/* ---- places ---------------------------------------------------------------------------------- */

static json_t *artifact(const struct sd_record *r, const char *file)
{
	const char *const root = sd_remark_root(r);
	json_t *const out = json_object();
	int failed = put(out, "uri", uri_of(file, 0));

	if (file[0] != '/' && root && root[0] == '/')
		failed |= put(out, "uriBaseId", json_string(ROOT));
	return whole(out, failed);
}

/* Without a place in code a result is about the program. */
static json_t *physical(const struct sd_record *r, const struct sd_where *at)
{
	json_t *const out = json_object();
	int failed = put(out, "artifactLocation", artifact(r, sd_remark_file_or_program(r, at)));

	if (at && at->file && at->line)
		failed |= put(out, "region", json_pack("{s:I}", "startLine", (json_int_t)at->line));
	return whole(out, failed);
}

static json_t *logical(const struct sd_where *at)
{
	char *const name = sd_name_function(at->function);
	char *const clean = name ? sd_sanitize(name) : NULL;
	json_t *const one = json_object();
	int failed = put(one, "name", clean ? json_string(clean) : NULL) |
		     put(one, "fullyQualifiedName", sd_json_text(at->function)) |
		     put(one, "kind", json_string("function"));
	json_t *const out = json_array();

	free(name);
	free(clean);
	if (failed || !out || json_array_append(out, one) != 0)
		failed = 1;
	json_decref(one);
	return whole(out, failed);
}

static json_t *location(const struct sd_record *r, const struct sd_where *at, int id)
{
	json_t *const out = json_object();
	int failed = put(out, "physicalLocation", physical(r, at));

	if (at && at->function)
		failed |= put(out, "logicalLocations", logical(at));
	if (id) {
		failed |= put(out, "id", json_integer(id)) |
			  put(out, "message", named("text", sd_remark_share(at)));
	}
	return whole(out, failed);
}

/* The other places of the cause; of a leaf whose caller is shown, the leaf as well. */
static json_t *related(const struct sd_record *r, const struct sd_view_cause *c)
{
	json_t *const out = json_array();
	int failed = !out, id = 0;

	for (size_t i = 0; !failed && c->of && i < c->of->n_where; i++) {
		const struct sd_where *const w = &c->of->where[i];

		if (w != c->at && (i == 0 || w->share >= SD_REMARK_SHARE))
			failed = json_array_append_new(out, location(r, w, ++id));
	}
	return whole(out, failed);
}

/* ---- results and rules ----------------------------------------------------------------------- */

static const char *level_of(const struct sd_view_cause *c)
{
	return sd_remark_is_sure(c) ? "warning" : "note";
}

static json_t *facts(const struct sd_finding *x, const struct sd_point *p)
{
	return json_pack("{s:s, s:i, s:o, s:o}", "verdict", sd_verdict_name[x->verdict], "cores",
		(int)p->cores, "lost", sd_json_interval(x->cores, p->runs), "worth",
		sd_json_interval(x->worth, p->runs));
}

static json_t *result(const struct sd_view *v, const struct sd_view_cause *c, int rule)
{
	const struct sd_point *const p = &v->a->point[v->a->n_point - 1];
	json_t *const out = json_pack("{s:s, s:i, s:s}", "ruleId", sd_remark_name(c), "ruleIndex",
		rule, "level", level_of(c));
	json_t *const at = location(v->r, c->at, 0);
	json_t *const more = related(v->r, c);
	int failed =
		put(out, "message", named("text", sd_remark_text(c))) |
		put(out, "locations", at ? json_pack("[O]", at) : NULL) |
		put(out, "partialFingerprints", named("causeAndFunction/v1", sd_remark_key(c)));

	if (c->of)
		failed |= put(out, "properties", facts(c->of, p));
	if (json_array_size(more))
		failed |= put(out, "relatedLocations", json_incref(more));
	failed |= !more;
	json_decref(at);
	json_decref(more);
	return whole(out, failed);
}

static json_t *rule(const struct sd_view_cause *c)
{
	const char *const text = sd_remark_label(c);
	char label[64];

	snprintf(label, sizeof label, "%c%s", toupper(text[0]), text + 1);
	return json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", sd_remark_name(c), "shortDescription",
		"text", label, "defaultConfiguration", "level", level_of(c));
}

/* ---- the file -------------------------------------------------------------------------------- */

static json_t *driver(json_t *rules)
{
	return json_pack("{s:{s:s, s:s, s:s, s:O}}", "driver", "name", "scalediag", "version",
		SD_VERSION, "semanticVersion", SD_VERSION, "rules", rules);
}

static json_t *run(const struct sd_view *v)
{
	const struct sd_record *const r = v->r;
	const struct sd_analysis *const a = v->a;
	json_t *const rules = json_array(), *const results = json_array(),
		      *const out = json_object();
	const char *const folder = sd_remark_root(r);
	int failed = !rules || !results || !out;

	for (size_t i = 0; !failed && i < v->n_cause; i++)
		failed = json_array_append_new(rules, rule(&v->cause[i])) |
			 json_array_append_new(results, result(v, &v->cause[i], (int)i));
	failed |= put(out, "tool", driver(rules)) | put(out, "results", json_incref(results)) |
		  put(out, "columnKind", json_string("utf16CodeUnits")) |
		  put(out, "properties", named("answer", sd_view_sentence(r, a)));
	if (folder && folder[0] == '/') {
		json_t *const uri = uri_of(folder, 1);

		failed |= put(out, "originalUriBaseIds",
			uri ? json_pack("{s:{s:o}}", ROOT, "uri", uri) : NULL);
	}
	json_decref(rules);
	json_decref(results);
	return whole(out, failed);
}

int sd_review_sarif(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct sd_view v;
	json_t *one;

	(void)s;
	if (sd_view_make(&v, r, a, NULL))
		return -ENOMEM;
	one = run(&v);
	sd_view_free(&v);
	return sd_json_print(f, one ? json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version",
					      "2.1.0", "runs", one)
				    : NULL);
}
