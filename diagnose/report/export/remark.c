#include "export/remark.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/interval_text.h"
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

char *sd_remark_title(const struct sd_view_cause *c, const struct sd_point *p)
{
	const char *const label = sd_remark_label(c);
	char *out = NULL;
	int n;

	if (!c->of)
		n = asprintf(&out, "%s.", c->title);
	else if (sd_interval_text_has(c->of->cores))
		n = asprintf(&out, "%c%s costs %.2f of %u cores (%s).", toupper(label[0]),
			label + 1, c->of->cores.value, p->n, sd_verdict_name[c->of->verdict]);
	else
		n = asprintf(&out, "%c%s (%s).", toupper(label[0]), label + 1,
			sd_verdict_name[c->of->verdict]);
	return n < 0 ? NULL : out;
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
	const struct sd_finding *const x = c->of;
	char *out = NULL, *share = NULL, gain[192];
	size_t size = 0;
	FILE *const f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	if (x && x->n_where && x->where[0].function)
		share = sd_remark_share(&x->where[0]);
	if (share)
		fprintf(f, "%s ", share);
	free(share);
	if (x && sd_interval_text_gains(x->worth) && x->worth.value > 1.005) {
		sd_interval_text_gain(gain, sizeof gain, x->worth, " faster");
		fprintf(f, "Without it the program would be %s. ", gain);
	}
	if (x && x->evidence.n)
		put_sentence(f, "", x->evidence.text[0]);
	if (x && x->advice.n)
		put_sentence(f, "Fix: ", x->advice.text[0]);
	if (c->item[SD_VIEW_OPEN])
		put_sentence(f, "", c->item[SD_VIEW_OPEN]);
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	if (size)
		out[size - 1] = '\0'; /* the last space */
	return out;
}

const char *sd_remark_file(const struct sd_record *r, const struct sd_where *at)
{
	return at->file ? sd_near_path(at->file, sd_remark_root(r)) : "";
}

const char *sd_remark_root(const struct sd_record *r)
{
	return r->program.source.root ? r->program.source.root : r->program.cwd;
}
