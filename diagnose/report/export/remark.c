#include "export/remark.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/interval_text.h"
#include "page/sanitize.h"
#include "page/short_names.h"
#include "base/near_path.h"

char *sd_remark_title(const struct sd_finding *x, const struct sd_point *p)
{
	const char *const label = sd_cause_info[x->cause].label;
	char *out = NULL;
	int n;

	if (sd_interval_text_has(x->cores))
		n = asprintf(&out, "%c%s costs %.2f of %u cores (%s).", toupper(label[0]),
			label + 1, x->cores.value, p->n, sd_verdict_name[x->verdict]);
	else
		n = asprintf(&out, "%c%s (%s).", toupper(label[0]), label + 1,
			sd_verdict_name[x->verdict]);
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

static void put_place(FILE *f, const struct sd_where *at)
{
	char *const name = at->function ? sd_name_function(at->function) : NULL;
	char *const clean = name ? sd_sanitize(name) : NULL;

	if (clean)
		fprintf(f, "%.0f %% of it in %s. ", 100 * at->share, clean);
	free(clean);
	free(name);
}

char *sd_remark_text(const struct sd_finding *x, const struct sd_where *at)
{
	char *out = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&out, &size);
	char gain[192];

	if (!f)
		return NULL;
	if (at)
		put_place(f, at);
	if (sd_interval_text_gains(x->worth) && x->worth.value > 1.005) {
		sd_interval_text_gain(gain, sizeof gain, x->worth, " faster");
		fprintf(f, "Without it the program would be %s. ", gain);
	}
	if (x->evidence.n)
		put_sentence(f, "", x->evidence.text[0]);
	if (x->advice.n)
		put_sentence(f, "Fix: ", x->advice.text[0]);
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
