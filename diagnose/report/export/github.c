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

static int put_remark(FILE *f, const struct sd_view *v, const struct sd_view_cause *c)
{
	char *const text = sd_remark_text(c);
	char *const file = sd_sanitize(c->at ? sd_remark_file(v->r, c->at) : "");
	const int rc = text && file ? 0 : -ENOMEM;

	if (!rc) {
		fprintf(f, "::%s ", sd_remark_is_sure(c) ? "warning" : "notice");
		if (*file) {
			fputs("file=", f);
			put_property(f, file);
			fputc(',', f);
		}
		if (*file && c->at->line)
			fprintf(f, "line=%u,", c->at->line);
		fprintf(f, "title=scalediag%%3A ");
		put_property(f, sd_remark_label(c));
		fputs("::", f);
		put_escaped(f, text, "%\r\n");
		fputc('\n', f);
	}
	free(text);
	free(file);
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
	struct sd_view v;
	int rc = sd_view_make(&v, r, a, NULL);

	(void)s;
	if (rc)
		return rc;
	rc = put_answer(f, r, a);
	for (size_t i = 0; !rc && i < v.n_cause; i++)
		rc = put_remark(f, &v, &v.cause[i]);
	sd_view_free(&v);
	if (!rc && (fflush(f) != 0 || ferror(f)))
		rc = -EIO;
	return rc;
}
