#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/remark.h"
#include "export/review.h"
#include "page/sanitize.h"
#include "view/view.h"

/*
 * The escapes of actions/toolkit (packages/core/src/command.ts): % and the ends of lines in a
 * message, ':' and ',' besides in a property. Clean text has no ends of lines.
 */
static void put_escaped(FILE *f, const char *text, const char *special)
{
	for (; *text; text++)
		if (strchr(special, *text))
			fprintf(f, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, f);
}

static void put_property(FILE *f, const char *text)
{
	put_escaped(f, text, "%\r\n:,");
}

static int put_remark(FILE *f, const struct sd_record *r, const struct sd_finding *x,
	const struct sd_point *p, const struct sd_where *at)
{
	char *const title = sd_remark_title(x, p), *const text = sd_remark_text(x, at);
	char *const file = sd_sanitize(at ? sd_remark_file(r, at) : "");
	const int rc = title && text && file ? 0 : -ENOMEM;

	if (!rc) {
		fprintf(f, "::%s ", x->verdict <= SD_VERDICT_LIKELY ? "warning" : "notice");
		if (*file) {
			fputs("file=", f);
			put_property(f, file);
			fputc(',', f);
		}
		if (at && *file && at->line)
			fprintf(f, "line=%u,", at->line);
		fprintf(f, "title=scalediag%%3A ");
		put_property(f, sd_cause_info[x->cause].label);
		fputs("::", f);
		put_escaped(f, title, "%\r\n");
		fputs(*text ? " " : "", f);
		put_escaped(f, text, "%\r\n");
		fputc('\n', f);
	}
	free(title);
	free(text);
	free(file);
	return rc;
}

static int put_finding(
	FILE *f, const struct sd_record *r, const struct sd_finding *x, const struct sd_point *p)
{
	int rc = x->n_where ? 0 : put_remark(f, r, x, p, NULL);

	for (size_t i = 0; !rc && i < x->n_where; i++)
		if (i == 0 || x->where[i].share >= SD_REMARK_SHARE)
			rc = put_remark(f, r, x, p, &x->where[i]);
	return rc;
}

static int put_answer(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	char *const clean = sd_view_sentence(r, a);

	if (clean) {
		fputs("::notice title=scalediag::", f);
		put_escaped(f, clean, "%\r\n");
		fputc('\n', f);
	}
	free(clean);
	return clean ? 0 : -ENOMEM;
}

int sd_review_github(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	int rc = put_answer(f, r, a);

	(void)s;
	for (int i = 0; !rc && a->n_point && i < SD_CAUSE_COUNT; i++)
		if (sd_remark_wanted(&a->finding[i]))
			rc = put_finding(f, r, &a->finding[i], &a->point[a->n_point - 1]);
	if (!rc && (fflush(f) != 0 || ferror(f)))
		rc = -EIO;
	return rc;
}
