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

/* Takes the text over. */
static json_t *said(char *text)
{
	json_t *const out = text ? sd_json_text(text) : NULL;

	free(text);
	return out;
}

/* ---- places ---------------------------------------------------------------------------------- */

static json_t *artifact(const struct sd_record *r, const char *file)
{
	const char *const root = sd_remark_root(r);
	json_t *out = sd_json("uri", uri_of(file, 0));

	if (file[0] != '/' && root && root[0] == '/')
		sd_json_put(&out, "uriBaseId", ROOT);
	return out;
}

/* Without a place in code a result is about the program. */
static json_t *physical(const struct sd_record *r, const struct sd_where *at)
{
	json_t *out = sd_json("artifactLocation", artifact(r, sd_remark_file_or_program(r, at)));

	if (at && at->file && at->line)
		sd_json_put(&out, "region", sd_json("startLine", at->line));
	return out;
}

static json_t *logical(const struct sd_where *at)
{
	char *const name = sd_name_function(at->function);
	json_t *const out = sd_json_list(sd_json("name", said(name ? sd_sanitize(name) : NULL),
		"fullyQualifiedName", at->function, "kind", "function"));

	free(name);
	return out;
}

static json_t *location(const struct sd_record *r, const struct sd_where *at, int id)
{
	json_t *out = sd_json("physicalLocation", physical(r, at));

	if (at && at->function)
		sd_json_put(&out, "logicalLocations", logical(at));
	if (id)
		sd_json_put(&out, "id", id, "message", sd_json("text", said(sd_remark_share(at))));
	return out;
}

/* The other places of the cause; of a leaf whose caller is shown, the leaf as well. */
static json_t *related(const struct sd_record *r, const struct sd_view_cause *c)
{
	json_t *out = json_array();
	int id = 0;

	for (size_t i = 0; c->of && i < c->of->n_where; i++) {
		const struct sd_where *const w = &c->of->where[i];

		if (w != c->at && (i == 0 || w->share >= SD_REMARK_SHARE))
			sd_json_add(&out, location(r, w, ++id));
	}
	return out;
}

/* ---- results and rules ----------------------------------------------------------------------- */

static const char *level_of(const struct sd_view_cause *c)
{
	return sd_remark_is_sure(c) ? "warning" : "note";
}

static json_t *facts(const struct sd_finding *x, const struct sd_point *p)
{
	return sd_json("verdict", sd_verdict_name[x->verdict], "cores", p->cores, "lost",
		sd_json_interval(x->cores, p->runs), "worth", sd_json_interval(x->worth, p->runs));
}

static json_t *result(const struct sd_view *v, const struct sd_view_cause *c, int rule)
{
	const struct sd_point *const p = &v->a->point[v->a->n_point - 1];
	json_t *const more = related(v->r, c);
	json_t *out = sd_json("ruleId", sd_remark_name(c), "ruleIndex", rule, "level", level_of(c),
		"message", sd_json("text", said(sd_remark_text(c))), "locations",
		sd_json_list(location(v->r, c->at, 0)), "partialFingerprints",
		sd_json("causeAndFunction/v1", said(sd_remark_key(c))));

	if (c->of)
		sd_json_put(&out, "properties", facts(c->of, p));
	if (!more || json_array_size(more))
		sd_json_put(&out, "relatedLocations", more);
	else
		json_decref(more);
	return out;
}

static json_t *rule(const struct sd_view_cause *c)
{
	const char *const text = sd_remark_label(c);
	char label[64];

	snprintf(label, sizeof label, "%c%s", toupper(text[0]), text + 1);
	return sd_json("id", sd_remark_name(c), "shortDescription", sd_json("text", label),
		"defaultConfiguration", sd_json("level", level_of(c)));
}

/* ---- the file -------------------------------------------------------------------------------- */

static json_t *run(const struct sd_view *v)
{
	const char *const folder = sd_remark_root(v->r);
	json_t *rules = json_array(), *results = json_array(), *out;

	for (size_t i = 0; i < v->n_cause; i++) {
		sd_json_add(&rules, rule(&v->cause[i]));
		sd_json_add(&results, result(v, &v->cause[i], (int)i));
	}
	out = sd_json("tool",
		sd_json("driver", sd_json("name", "scalediag", "version", SD_VERSION,
					  "semanticVersion", SD_VERSION, "rules", rules)),
		"results", results, "columnKind", "utf16CodeUnits", "properties",
		sd_json("answer", said(sd_view_sentence(v->r, v->a))));
	if (folder && folder[0] == '/')
		sd_json_put(&out, "originalUriBaseIds",
			sd_json(ROOT, sd_json("uri", uri_of(folder, 1))));
	return out;
}

int sd_review_sarif(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct sd_view v;
	json_t *out;

	(void)s;
	if (sd_view_make(&v, r, a, NULL))
		return -ENOMEM;
	out = sd_json("$schema", SCHEMA, "version", "2.1.0", "runs", sd_json_list(run(&v)));
	sd_view_free(&v);
	return sd_json_print(f, out);
}
