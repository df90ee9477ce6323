#include "json/json_brief.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/near_path.h"
#include "json/json_brief_text.h"
#include "page/json_text.h"
#include "render/json_values.h"
#include "view/view.h"

/* ---- the one cause that is asked for --------------------------------------------------------- */

struct asked {
	const struct sd_view *view;
	const char *cause; /* its name; "work-inflation": the growth that is open */
};

/* Members of each list, at most. */
#define TEXTS 6
#define PLACES 4
#define AROUND 5u /* lines before and behind the one in question */

/* The cause as the text numbers it; NULL: it does not. */
static const struct sd_view_cause *numbered(const struct sd_view *v, const struct sd_finding *f)
{
	for (size_t i = 0; i < v->n_cause; i++)
		if (v->cause[i].of == f)
			return &v->cause[i];
	return NULL;
}

/* NULL: of none, it is growth that is open. */
static const struct sd_finding *finding(const struct sd_analysis *a, const char *cause)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (strcmp(sd_cause_info[a->finding[i].cause].name, cause) == 0)
			return &a->finding[i];
	return NULL;
}

static json_t *put_file(const struct sd_view *v, const char *file, size_t room)
{
	return sd_json_brief_name(file ? sd_near_path(file, v->r->program.cwd) : NULL, room);
}

static json_t *put_places(const struct sd_view *v, const struct sd_where *w, size_t n, size_t room)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < n && i < PLACES; i++, w++)
		sd_json_add(
			&out, sd_json("function", sd_json_brief_name(w->function, room), "file",
				      put_file(v, w->file, room), "line", sd_json_number(w->line),
				      "from", sd_json_brief_name(w->from, room), "object",
				      sd_json_brief_text(w->object, room), "share", w->share));
	return out;
}

/* The stored lines that have this place; NULL: the record has none. */
static const struct sd_source_text *stored(const struct sd_record *r, const struct sd_where *at)
{
	for (size_t i = 0; at && at->file && at->line && i < r->n_source; i++) {
		const struct sd_source_text *const s = &r->source[i];

		if (s->state == SD_SOURCE_READ && s->first <= at->line &&
			at->line < s->first + s->line.n && strcmp(s->file, at->file) == 0)
			return s;
	}
	return NULL;
}

static json_t *put_source(const struct sd_view *v, const struct sd_where *at, size_t room)
{
	const struct sd_source_text *const s = stored(v->r, at);
	unsigned first;
	json_t *lines;

	if (!s)
		return json_null();
	first = at->line - s->first < AROUND ? s->first : at->line - AROUND;
	lines = json_array();
	for (unsigned n = first; lines && n < s->first + s->line.n && n <= at->line + AROUND; n++)
		sd_json_add(&lines, sd_json_brief_text(s->line.text[n - s->first], room));
	return sd_json("file", put_file(v, s->file, room), "first", first, "line", at->line,
		"lines", lines);
}

static json_t *put_next_says(const struct sd_view *v, const struct sd_view_cause *c,
	const struct sd_finding *f, size_t room)
{
	char *const says = !c && f && f->next ? sd_view_next(v, f->next) : NULL;
	json_t *const out = sd_json_brief_text(c ? c->item[SD_VIEW_NEXT] : says, room);

	free(says);
	return out;
}

/* `more` of sd_json_brief; `of` is such a struct. */
static void put_asked(json_t **object, size_t room, const void *of)
{
	static const struct sd_texts nothing;
	static const struct sd_interval unknown = {.status = SD_STATUS_ABSENT};
	const struct asked *const x = of;
	const struct sd_view *const v = x->view;
	const struct sd_analysis *const a = v->a;
	const struct sd_finding *const f = finding(a, x->cause);
	const struct sd_view_cause *const c = a->n_point ? numbered(v, f) : NULL;
	const struct sd_where *const at = c ? c->at : f && f->n_where ? &f->where[0] : NULL;
	const size_t runs = a->n_point ? a->point[a->n_point - 1].runs : 0;

	sd_json_put(object, "id", x->cause, "number", c ? json_integer(c->number) : json_null(),
		"certainty", sd_json_brief_certainty(f), "says",
		sd_json_brief_text(c ? c->title : NULL, room), "cores",
		sd_json_interval(f ? f->cores : sd_view_growth(a), runs), "payoff",
		sd_json_interval(f ? f->worth : unknown, runs), "evidence",
		sd_json_brief_texts(f ? &f->evidence : &nothing, TEXTS, room), "open",
		sd_json_brief_text(c ? c->item[SD_VIEW_OPEN] : NULL, room), "lock",
		sd_json_brief_text(c ? c->item[SD_VIEW_LOCK] : NULL, room), "at",
		at ? put_places(v, at, 1, room) : json_array(), "where",
		f ? put_places(v, f->where, f->n_where, room) : json_array(), "fix",
		sd_json_brief_texts(f ? &f->advice : &nothing, TEXTS, room), "next",
		sd_json_brief_words(c ? &c->next : &nothing, room), "next_says",
		put_next_says(v, c, f, room), "source", put_source(v, at, room));
}

/* ---- all of them ----------------------------------------------------------------------------- */

#define DUMP (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6))
#define NOTES 4 /* of what disturbed the runs, at most */

/* Bytes of JSON that the texts have, tried one after the other; with the last everything fits. */
static const size_t rooms[] = {640, 320, 160, 80, 40, 20};

static json_t *put_cause(const struct sd_view *v, const struct sd_view_cause *c, size_t room)
{
	static const struct sd_interval unknown = {.status = SD_STATUS_ABSENT};
	static const struct sd_where nowhere;
	const size_t runs = v->a->point[v->a->n_point - 1].runs;
	const struct sd_where *const at = c->at ? c->at : &nowhere;
	const char *const object = c->item[SD_VIEW_LOCK]     ? c->item[SD_VIEW_LOCK]
				   : c->of && c->of->n_where ? c->of->where[0].object
							     : at->object;

	return sd_json("number", c->number, "id",
		c->of ? sd_cause_info[c->of->cause].name : "work-inflation", "certainty",
		sd_json_brief_certainty(c->of), "says", sd_json_brief_text(c->title, room), "cores",
		sd_json_interval(c->of ? c->of->cores : sd_view_growth(v->a), runs), "payoff",
		sd_json_interval(c->of ? c->of->worth : unknown, runs), "function",
		sd_json_brief_name(at->function, room), "file",
		sd_json_brief_name(
			at->file ? sd_near_path(at->file, v->r->program.cwd) : NULL, room),
		"line", sd_json_number(at->line), "object", sd_json_brief_text(object, room), "fix",
		sd_json_brief_text(c->item[SD_VIEW_FIX], room), "next",
		sd_json_brief_words(&c->next, room), "next_says",
		sd_json_brief_text(c->item[SD_VIEW_NEXT], room));
}

static json_t *put_causes(const struct sd_view *v, size_t room)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < v->n_cause; i++)
		sd_json_add(&out, put_cause(v, &v->cause[i], room));
	return out;
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* Puts what took CPUs from the runs, or else makes them tell less than they seem to. */
static json_t *put_disturbed(const struct sd_view *v, size_t room)
{
	const struct sd_texts *const from[] = {&v->r->warnings, &v->a->warnings};
	struct sd_texts all = {0};
	json_t *out = NULL;
	int rc = 0;

	if (v->banner)
		rc = sd_texts_add_once(&all, v->banner);
	if (v->wasted && !rc)
		rc = sd_texts_add_once(&all, v->wasted);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < from[k]->n && !rc; i++)
			rc = sd_texts_add_once(&all, from[k]->text[i]);
	if (!rc)
		out = sd_json_brief_texts(&all, NOTES, room);
	sd_texts_free(&all);
	return out;
}

static json_t *put_settles(const struct sd_view *v, size_t room)
{
	const char *const says[] = {v->more_time, v->missing};
	json_t *out = json_array();

	for (size_t i = 0; i < 2; i++)
		if (*says[i])
			sd_json_add(&out, sd_json_brief_text(says[i], room));
	return out;
}

static json_t *put_scales(const struct sd_analysis *a)
{
	return a->n_point < 2 || a->scales == SD_SCALES_UNKNOWN
		       ? json_null()
		       : json_boolean(a->scales == SD_SCALES_YES);
}

static void put_answer(json_t **out, const struct sd_view *v, size_t room)
{
	static const struct sd_point none = {.speedup = {.status = SD_STATUS_ABSENT},
		.efficiency = {.status = SD_STATUS_ABSENT}};
	const struct sd_point *const p = v->a->n_point ? &v->a->point[v->a->n_point - 1] : &none;

	sd_json_put(out, "scales", put_scales(v->a), "answer", sd_json_brief_text(v->answer, room),
		"main_cause", sd_json_brief_text(v->main_cause, room), "count", p->cores, "speedup",
		sd_json_interval(p->speedup, p->runs), "efficiency",
		sd_json_interval(p->efficiency, p->runs), "causes", put_causes(v, room),
		"disturbed", put_disturbed(v, room), "settles", put_settles(v, room), "trust",
		sd_json_brief_text(v->quality, room), "command",
		sd_json_brief_text(v->command, room));
}

static json_t *put_all(const struct sd_json_brief *b, size_t room)
{
	const char *const commit = b->view->r->program.source.commit;
	json_t *out = sd_json_head(b->kind);

	sd_json_put(&out, "record", sd_json_brief_name(b->record, room), "commit",
		sd_json_name(commit));
	if (!b->alone)
		put_answer(&out, b->view, room);
	if (b->more)
		b->more(&out, room, b->ctx);
	return out;
}

int sd_json_brief_print(FILE *f, const struct sd_json_brief *b)
{
	char *text = NULL;
	size_t size = 0;
	int rc = -ENOMEM;

	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
		json_t *const all = put_all(b, rooms[i]);
		FILE *const m = all ? open_memstream(&text, &size) : NULL;

		rc = m && sd_json_text_dump(all, m, DUMP) == 0 ? 0 : -ENOMEM;
		if (m && fclose(m) != 0)
			rc = -ENOMEM;
		json_decref(all);
		if (rc || size < SD_JSON_BRIEF_BYTES)
			break;
		free(text);
		text = NULL;
	}
	if (!rc && !text)
		rc = -EOVERFLOW;
	if (!rc && (fprintf(f, "%s\n", text) < 0 || fflush(f) != 0))
		rc = -EIO;
	free(text);
	return rc;
}

int sd_json_brief_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct sd_view v;
	struct sd_json_brief brief = {
		.kind = "report", .record = s ? s->record_path : NULL, .view = &v};
	const struct asked of = {&v, s ? s->cause : NULL};
	int rc;

	if (of.cause) {
		brief.kind = "cause";
		brief.alone = 1;
		brief.more = put_asked;
		brief.ctx = &of;
	}
	if (sd_view_make(&v, r, a, brief.record))
		return -ENOMEM;
	rc = sd_json_brief_print(f, &brief);
	sd_view_free(&v);
	return rc;
}
