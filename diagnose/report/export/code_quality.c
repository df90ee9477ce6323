#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "export/remark.h"
#include "export/review.h"
#include "render/json_values.h"

/* One entry of GitLab's "Code Quality report format". */
static json_t *put_issue(const struct sd_view *v, const struct sd_view_cause *c)
{
	char *const text = sd_remark_text(c), *const key = sd_remark_key(c);
	json_t *out = NULL;

	if (text && key)
		out = sd_json("type", "issue", "check_name", sd_remark_name(c), "description", text,
			"fingerprint", key, "severity", sd_remark_is_sure(c) ? "major" : "info",
			"location",
			sd_json("path", sd_remark_file_or_program(v->r, c->at), "lines",
				sd_json("begin",
					(c->at && c->at->file && c->at->line ? c->at->line : 1))));
	free(text);
	free(key);
	return out;
}

int sd_review_code_quality(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct sd_view v;
	json_t *out;

	(void)s;
	if (sd_view_make(&v, r, a, NULL))
		return -ENOMEM;
	out = json_array();
	for (size_t i = 0; out && i < v.n_cause; i++)
		sd_json_add(&out, put_issue(&v, &v.cause[i]));
	sd_view_free(&v);
	return sd_json_print(f, out);
}
