#include <errno.h>
#include <string.h>

#include "export/review.h"
#include "view/view.h"

#define LETTER 7 /* px of a letter of 11 px, about */
#define EDGE 12  /* px beside the words of a half */
#define NAME "scaling"

static const char *const colour[] = {
	[SD_VIEW_GOOD] = "#2da44e",
	[SD_VIEW_BAD] = "#cf222e",
	[SD_VIEW_UNSURE] = "#6e7781",
	[SD_VIEW_NOTHING] = "#6e7781",
};

/* "34 % at 8 cores", with a '?' where the runs do not decide whether it scales. */
static void say(const struct sd_view *v, char *out, size_t size)
{
	const struct sd_analysis *const a = v->a;
	const struct sd_point *const p = a->n_point > 1 ? &a->point[a->n_point - 1] : NULL;

	if (p && sd_status_measured(p->efficiency) && p->efficiency.value < 100)
		snprintf(out, size, "%.0f %% at %u cores%s", 100 * p->efficiency.value, p->cores,
			v->mood == SD_VIEW_UNSURE ? "?" : "");
	else
		snprintf(out, size, "not known");
}

int sd_review_badge(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	const unsigned left = EDGE + LETTER * (sizeof NAME - 1);
	unsigned right;
	struct sd_view v;
	char words[64];

	(void)s;
	if (sd_view_make(&v, r, a, NULL))
		return -ENOMEM;
	say(&v, words, sizeof words);
	right = EDGE + LETTER * (unsigned)strlen(words);
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"20\" role=\"img\" "
		"aria-label=\"" NAME ": %s\"><rect width=\"%u\" height=\"20\" fill=\"#444\"/>"
		"<rect x=\"%u\" width=\"%u\" height=\"20\" fill=\"%s\"/><g fill=\"#fff\" "
		"text-anchor=\"middle\" font-family=\"sans-serif\" font-size=\"11\">"
		"<text x=\"%u\" y=\"14\">" NAME
		"</text><text x=\"%u\" y=\"14\">%s</text></g></svg>\n",
		left + right, words, left, left, right, colour[v.mood], left / 2, left + right / 2,
		words);
	sd_view_free(&v);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
