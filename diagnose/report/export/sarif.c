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
#include "base/near_path.h"

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
	const char *file = at ? sd_remark_file(r, at) : "";
	json_t *const out = json_object();
	int failed;

	if (!*file && r->program.argv.n)
		file = sd_near_path(r->program.argv.text[0], sd_remark_root(r));
	failed = put(out, "artifactLocation", artifact(r, *file ? file : "program"));
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

static json_t *location(
	const struct sd_record *r, const struct sd_finding *x, const struct sd_where *at, int id)
{
	json_t *const out = json_object();
	int failed = put(out, "physicalLocation", physical(r, at));

	if (at && at->function)
		failed |= put(out, "logicalLocations", logical(at));
	if (id) {
		const struct sd_finding bare = {.cause = x->cause};
		char *const text = sd_remark_text(&bare, at);

		failed |= put(out, "id", json_integer(id)) |
			  put(out, "message",
				  json_pack("{s:s}", "text",
					  text && *text ? text : sd_cause_info[x->cause].label));
		free(text);
	}
	return whole(out, failed);
}

static json_t *related(const struct sd_record *r, const struct sd_finding *x)
{
	json_t *const out = json_array();
	int failed = !out;

	for (size_t i = 1; !failed && i < x->n_where; i++)
		if (x->where[i].share >= SD_REMARK_SHARE)
			failed = json_array_append_new(out, location(r, x, &x->where[i], (int)i));
	return whole(out, failed);
}

/* ---- results and rules ----------------------------------------------------------------------- */

static const char *level_of(const struct sd_finding *x)
{
	return x->verdict <= SD_VERDICT_LIKELY ? "warning" : "note";
}

static json_t *message(const struct sd_finding *x, const struct sd_point *p)
{
	char *const title = sd_remark_title(x, p);
	char *const text = sd_remark_text(x, x->n_where ? &x->where[0] : NULL);
	char *all = NULL;
	json_t *out = NULL;

	if (title && text && asprintf(&all, "%s%s%s", title, *text ? " " : "", text) >= 0) {
		out = json_pack("{s:s}", "text", all);
		free(all);
	}
	free(title);
	free(text);
	return out;
}

static json_t *facts(const struct sd_finding *x, const struct sd_point *p)
{
	return json_pack("{s:s, s:i, s:o, s:o}", "verdict", sd_verdict_name[x->verdict], "cores",
		(int)p->cores, "lost", sd_json_interval(x->cores, p->runs), "worth",
		sd_json_interval(x->worth, p->runs));
}

/* The same cause at the same function is the same result in the next record, whatever the line. */
static json_t *fingerprint(const struct sd_finding *x)
{
	const char *const function = x->n_where && x->where[0].function ? x->where[0].function : "";
	char *text = NULL;
	json_t *out, *shown;

	if (asprintf(&text, "%s:%s", sd_cause_info[x->cause].name, function) < 0)
		return NULL;
	shown = sd_json_text(text);
	out = shown ? json_pack("{s:o}", "causeAndFunction/v1", shown) : NULL;
	free(text);
	return out;
}

static json_t *result(
	const struct sd_record *r, const struct sd_finding *x, const struct sd_point *p, int rule)
{
	json_t *const out = json_pack("{s:s, s:i, s:s}", "ruleId", sd_cause_info[x->cause].name,
		"ruleIndex", rule, "level", level_of(x));
	json_t *const at = location(r, x, x->n_where ? &x->where[0] : NULL, 0);
	json_t *const more = related(r, x);
	int failed = put(out, "message", message(x, p)) |
		     put(out, "locations", at ? json_pack("[O]", at) : NULL) |
		     put(out, "partialFingerprints", fingerprint(x)) |
		     put(out, "properties", facts(x, p));

	if (json_array_size(more))
		failed |= put(out, "relatedLocations", json_incref(more));
	failed |= !more;
	json_decref(at);
	json_decref(more);
	return whole(out, failed);
}

static json_t *rule(const struct sd_finding *x)
{
	const struct sd_cause_info *const c = &sd_cause_info[x->cause];
	char label[64];

	snprintf(label, sizeof label, "%c%s", toupper(c->label[0]), c->label + 1);
	return json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", c->name, "shortDescription", "text",
		label, "defaultConfiguration", "level", level_of(x));
}

/* ---- the file -------------------------------------------------------------------------------- */

static json_t *driver(json_t *rules)
{
	return json_pack("{s:{s:s, s:s, s:s, s:O}}", "driver", "name", "scalediag", "version",
		SD_VERSION, "semanticVersion", SD_VERSION, "rules", rules);
}

static json_t *notes(const struct sd_record *r, const struct sd_analysis *a)
{
	char *const clean = sd_view_sentence(r, a);
	json_t *const out = clean ? json_pack("{s:s}", "answer", clean) : NULL;

	free(clean);
	return out;
}

static json_t *run(const struct sd_record *r, const struct sd_analysis *a)
{
	json_t *const rules = json_array(), *const results = json_array(),
		      *const out = json_object();
	const char *const folder = sd_remark_root(r);
	int failed = !rules || !results || !out, n = 0;

	for (int i = 0; !failed && a->n_point && i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const x = &a->finding[i];

		if (!sd_remark_wanted(x))
			continue;
		failed = json_array_append_new(rules, rule(x)) |
			 json_array_append_new(
				 results, result(r, x, &a->point[a->n_point - 1], n++));
	}
	failed |= put(out, "tool", driver(rules)) | put(out, "results", json_incref(results)) |
		  put(out, "columnKind", json_string("utf16CodeUnits")) |
		  put(out, "properties", notes(r, a));
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
	json_t *const one = run(r, a);

	(void)s;
	return sd_json_print(f, one ? json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version",
					      "2.1.0", "runs", one)
				    : NULL);
}
