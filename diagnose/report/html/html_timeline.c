#include "html/html_timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/sanitize.h"
#include "page/short_names.h"

struct out {
	FILE *f;
	const struct sd_stacks *stacks;
	int (*put_string)(FILE *f, const char *text);
	unsigned *number[2]; /* of each text as a lock, and as a function; 0 none */
	unsigned n_word;
};

static int put_clean(const struct out *o, const char *text)
{
	char *const clean = sd_sanitize(text);
	const int rc = clean ? o->put_string(o->f, clean) : -ENOMEM;

	free(clean);
	return rc;
}

static int put_word(const struct out *o, unsigned text, int is_function)
{
	char *const name = is_function ? sd_name_function(o->stacks->text[text]) : NULL;
	int rc = is_function && !name ? -ENOMEM : 0;

	fputs(",", o->f);
	rc = rc ? rc : put_clean(o, name ? name : o->stacks->text[text]);
	free(name);
	return rc;
}

/* Gives a text of the record the next number, once. */
static int add_word(struct out *o, unsigned text, int is_function)
{
	unsigned *const number =
		text && text < o->stacks->n_text ? &o->number[is_function][text] : NULL;

	if (!number || *number)
		return 0;
	*number = ++o->n_word;
	return put_word(o, text, is_function);
}

static int put_words(struct out *o, const struct sd_record *r)
{
	int rc = 0;

	fputs(",\"words\":[\"\"", o->f);
	for (size_t i = 0; i < r->n_run; i++)
		for (size_t k = 0; r->run[i].lanes && k < r->run[i].lanes->n_doing && !rc; k++) {
			rc = add_word(o, r->run[i].lanes->doing[k].function, 1);
			rc = rc ? rc : add_word(o, r->run[i].lanes->doing[k].lock, 0);
		}
	fputs("]", o->f);
	return rc;
}

static unsigned number_of(const struct out *o, unsigned text, int is_function)
{
	return text < o->stacks->n_text ? o->number[is_function][text] : 0;
}

static void put_doings(const struct out *o, const struct sd_binned_lanes *l)
{
	fputs(",\"doings\":[", o->f);
	for (size_t i = 0; i < l->n_doing; i++)
		fprintf(o->f, "%s[%u,%u,%u]", i ? "," : "", l->doing[i].state,
			number_of(o, l->doing[i].function, 1), number_of(o, l->doing[i].lock, 0));
	fputs("]", o->f);
}

static int put_lane(const struct out *o, const struct sd_binned_lane *lane)
{
	char name[sizeof lane->name + 1] = "";
	int rc;

	memcpy(name, lane->name, sizeof lane->name);
	fputs("{\"name\":", o->f);
	rc = put_clean(o, name);
	fprintf(o->f, ",\"tid\":%d,\"steps\":[", lane->tid);
	for (size_t i = 0; i < lane->n_step; i++)
		fprintf(o->f, "%s[%u,%u]", i ? "," : "", lane->step[i].bins, lane->step[i].doing);
	fputs("]}", o->f);
	return rc;
}

static int put_run(const struct out *o, unsigned cores, const struct sd_binned_lanes *l)
{
	int rc = 0;

	fprintf(o->f, "{\"cores\":%u,\"length_ns\":%llu,\"bins\":%u,\"more\":%zu", cores,
		(unsigned long long)l->length, l->bins, l->n_seen - l->n_lane);
	put_doings(o, l);
	fputs(",\"threads\":[", o->f);
	for (size_t i = 0; i < l->n_lane && !rc; i++) {
		fputs(i ? "," : "", o->f);
		rc = put_lane(o, &l->lane[i]);
	}
	fputs("]}", o->f);
	return rc;
}

static int put_runs(const struct out *o, const struct sd_record *r)
{
	size_t n = 0;
	int rc = 0;

	fputs(",\"runs\":[", o->f);
	for (size_t p = 0; p < r->plan.n_point; p++)
		for (size_t i = 0; i < r->n_run && !rc; i++)
			if (r->run[i].point == p && r->run[i].lanes) {
				fputs(n++ ? "," : "", o->f);
				rc = put_run(o, r->plan.point[p].cores, r->run[i].lanes);
			}
	fputs("]", o->f);
	return rc;
}

int sd_html_timeline_data(
	FILE *f, const struct sd_record *r, int (*put_string)(FILE *f, const char *text))
{
	struct out o = {.f = f, .stacks = &r->stacks, .put_string = put_string};
	int rc = 0;

	for (int i = 0; i < 2; i++) {
		o.number[i] = calloc(r->stacks.n_text + 1, sizeof *o.number[i]);
		if (!o.number[i])
			rc = -ENOMEM;
	}
	rc = rc ? rc : put_words(&o, r);
	rc = rc ? rc : put_runs(&o, r);
	for (int i = 0; i < 2; i++)
		free(o.number[i]);
	return rc;
}
