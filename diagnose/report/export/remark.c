#include "export/remark.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/sanitize.h"
#include "page/short_names.h"
#include "base/near_path.h"

const char *sd_remark_name(const struct sd_view_cause *c)
{
	return c->of ? sd_cause_info[c->of->cause].name : "work-inflation";
}

const char *sd_remark_label(const struct sd_view_cause *c)
{
	return c->of ? sd_cause_info[c->of->cause].label : "work inflation";
}

int sd_remark_is_sure(const struct sd_view_cause *c)
{
	return c->of && c->of->verdict <= SD_VERDICT_LIKELY;
}

/* A sentence ends in a point. */
static void put_sentence(FILE *f, const char *first, const char *text)
{
	char *const clean = sd_sanitize(text);
	const size_t n = clean ? strlen(clean) : 0;

	if (n)
		fprintf(f, "%s%s%s ", first, clean, strchr(".!?", clean[n - 1]) ? "" : ".");
	free(clean);
}

char *sd_remark_share(const struct sd_where *at)
{
	char *const name = at->function ? sd_name_function(at->function) : strdup("?");
	char *const clean = name ? sd_sanitize(name) : NULL;
	char *const object = at->object ? sd_sanitize(at->object) : NULL;
	char *out = NULL;

	if (clean && (!at->object || object) &&
		asprintf(&out, "%.0f %% of it in %s%s%s.", 100 * at->share, clean,
			object ? ", on " : "", object ? object : "") < 0)
		out = NULL;
	free(object);
	free(clean);
	free(name);
	return out;
}

char *sd_remark_text(const struct sd_view_cause *c)
{
	char *out = NULL, head[16];
	size_t size = 0;
	FILE *const f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	put_sentence(f, "", c->title);
	if (c->of && c->of->evidence.n)
		put_sentence(f, "", c->of->evidence.text[0]);
	for (int i = 0; i < SD_VIEW_NEXT; i++) {
		snprintf(head, sizeof head, "%c%s: ", toupper(sd_view_item_name[i][0]),
			sd_view_item_name[i] + 1);
		if (c->item[i])
			put_sentence(f, head, c->item[i]);
	}
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	out[size - 1] = '\0'; /* the last space */
	return out;
}

char *sd_remark_key(const struct sd_view_cause *c)
{
	const struct sd_where *const w = c->of && c->of->n_where ? &c->of->where[0] : c->at;
	char *out = NULL;

	return asprintf(&out, "%s:%s", sd_remark_name(c), w && w->function ? w->function : "") < 0
		       ? NULL
		       : out;
}

const char *sd_remark_file(const struct sd_record *r, const struct sd_where *at)
{
	return at->file ? sd_near_path(at->file, sd_remark_root(r)) : "";
}

const char *sd_remark_file_or_program(const struct sd_record *r, const struct sd_where *at)
{
	const char *const file = at ? sd_remark_file(r, at) : "";

	return *file               ? file
	       : r->program.argv.n ? sd_near_path(r->program.argv.text[0], sd_remark_root(r))
				   : "program";
}

const char *sd_remark_root(const struct sd_record *r)
{
	return r->program.source.root ? r->program.source.root : r->program.cwd;
}
