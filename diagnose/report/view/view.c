#include "view/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near_path.h"
#include "page/page.h"
#include "page/sanitize.h"
#include "view/view_parts.h"
#include "wording/outlook.h"

static void free_cause(struct sd_view_cause *c)
{
	free(c->title);
	for (int i = 0; i < SD_VIEW_ITEM_COUNT; i++)
		free(c->item[i]);
	sd_texts_free(&c->next);
}

void sd_view_free(struct sd_view *v)
{
	for (size_t i = 0; i < v->n_cause; i++)
		free_cause(&v->cause[i]);
	free(v->command);
	free(v->again);
	free(v->record_word);
	free(v->measured);
	free(v->basis);
	free(v->answer);
	free(v->main_cause);
	free(v->banner);
	free(v->wasted);
	free(v->latency);
	free(v->row);
	free(v->quality);
	free(v->outlook);
	free(v->more_time);
	free(v->missing);
	*v = (struct sd_view){0};
}

/* The command as one types it in the folder that it ran in. */
static char *near_command(const struct sd_program *p)
{
	const char *const first = p->argv.n ? p->argv.text[0] : "";
	const char *const near = *first == '/' ? sd_near_path(first, p->cwd) : first;
	struct sd_texts argv = {0};
	char *out;
	int rc = 0;

	for (size_t i = 0; i < p->argv.n && !rc; i++)
		rc = sd_texts_add(
			&argv, "%s%s", i || near == first ? "" : "./", i ? p->argv.text[i] : near);
	out = rc ? NULL : sd_page_command(&argv);
	sd_texts_free(&argv);
	return out;
}

int sd_view_make(struct sd_view *v, const struct sd_record *r, const struct sd_analysis *a,
	const char *record_path)
{
	*v = (struct sd_view){.a = a, .r = r};
	v->command = near_command(&r->program);
	v->again = v->command ? sd_view_again(r, v->command) : NULL;
	v->record_word = record_path ? sd_page_word(record_path) : NULL;
	v->measured = sd_view_measured(a);
	v->basis = sd_view_basis(r);
	v->answer = sd_view_answer(r, a, &v->mood);
	v->quality = sd_view_quality(r, a);
	/* what cannot tell whether it scales cannot tell how many cores pay either */
	v->outlook = v->mood == SD_VIEW_UNSURE ? strdup("") : sd_outlook(a);
	v->more_time = sd_view_more_time(r, a);
	if (!v->again || (record_path && !v->record_word) || !v->measured || !v->basis ||
		!v->answer || !v->quality || !v->outlook || !v->more_time)
		goto failed;
	if (a->n_point > 0 && (sd_view_causes(v) || sd_view_reference(v) || sd_view_rows(v) ||
				      sd_view_latency(v)))
		goto failed;
	v->missing = sd_view_missing(v);
	if (v->missing)
		return 0;
failed:
	sd_view_free(v);
	return -ENOMEM;
}

char *sd_view_sentence(const struct sd_record *r, const struct sd_analysis *a)
{
	struct sd_view v;
	char *text = NULL, *clean;

	if (sd_view_make(&v, r, a, NULL))
		return NULL;
	if (asprintf(&text, "%s%s%s%s%s", v.answer, v.main_cause ? " " : "",
		    v.main_cause ? v.main_cause : "", v.banner ? " " : "",
		    v.banner ? v.banner : "") < 0)
		text = NULL;
	clean = text ? sd_sanitize(text) : NULL;
	free(text);
	sd_view_free(&v);
	return clean;
}
