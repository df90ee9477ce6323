#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/viewer_functions.h"
#include "html/html_sections.h"
#include "page/sanitize.h"
#include "page/short_names.h"
#include "record/record.h"

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

/*
 * ,"words":["", ...],"runs":[{cores, length_ns, bins, more, doings:[[state, function, lock], ...],
 * threads:[{name, tid, steps:[[bins, doing], ...]}]}]: of each point the run that kept its lanes.
 * `state` is an index of the page's activities, function and lock of the words. 0 or -ENOMEM.
 */
static int put_timeline(
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

/* Stacks that the page has of the smallest and of the largest count, and of all between them; of
 * more the heaviest, and the rest is said. */
#define MOST_ROWS 2500u
#define ROWS_BETWEEN 5000u

static size_t most_rows(size_t i, size_t n)
{
	return i == 0 || i + 1 == n || ROWS_BETWEEN / (n - 2) > MOST_ROWS ? MOST_ROWS
									  : ROWS_BETWEEN / (n - 2);
}

static int put_string(FILE *f, const char *text)
{
	json_t *const value = json_string(text);
	char *const quoted = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

	if (quoted)
		sd_html_json(f, quoted);
	free(quoted);
	json_decref(value);
	return quoted ? 0 : -ENOMEM;
}

static int heavier(const void *x, const void *y)
{
	const struct sd_stack_profile_row *const a = x, *const b = y;

	if (a->seconds < b->seconds || a->seconds > b->seconds)
		return a->seconds > b->seconds ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (int)a->activity - (int)b->activity;
}

/* A copy with the heaviest rows of each count. 0 or -ENOMEM, and *out is to be freed. */
static int take_heaviest(const struct sd_stack_profile *p, struct sd_stack_profile *out)
{
	*out = (struct sd_stack_profile){.point = calloc(p->n + 1, sizeof *out->point)};
	if (!out->point)
		return -ENOMEM;
	for (; out->n < p->n; out->n++) {
		const struct sd_stack_profile_point *const from = &p->point[out->n];
		struct sd_stack_profile_point *const to = &out->point[out->n];

		*to = (struct sd_stack_profile_point){.cores = from->cores,
			.runs = from->runs,
			.row = calloc(from->n + 1, sizeof *to->row)};
		if (!to->row)
			return -ENOMEM;
		if (from->n)
			memcpy(to->row, from->row, from->n * sizeof *to->row);
		qsort(to->row, from->n, sizeof *to->row, heavier);
		to->n = from->n < most_rows(out->n, p->n) ? from->n : most_rows(out->n, p->n);
	}
	return 0;
}

/* [caller, function] of each used node, callers first; their new numbers into `number`. */
static void put_nodes(FILE *f, const struct sd_viewer_functions *v, unsigned *number)
{
	const struct sd_stacks *const s = v->stacks;
	unsigned n = 0;

	fputs("\"nodes\":[[0,-1]", f);
	for (unsigned i = 1; i < s->n_node; i++) {
		const struct sd_node *const node = &s->node[i];

		if (!v->used[i])
			continue;
		/* a damaged frame is its caller's */
		if (node->frame >= s->n_frame) {
			number[i] = number[node->parent < i ? node->parent : 0];
			continue;
		}
		number[i] = ++n;
		fprintf(f, ",[%u,%u]", number[node->parent < i ? node->parent : 0],
			v->of[node->frame]);
	}
	fputs("]", f);
}

static double sum(const struct sd_stack_profile_point *p)
{
	double all = 0;

	for (size_t i = 0; i < p->n; i++)
		all += p->row[i].seconds;
	return all;
}

/* Puts the stacks of each count as [node, activity, us of a run]. */
static void put_points(FILE *f, const struct sd_stack_profile *whole,
	const struct sd_stack_profile *p, const unsigned *number)
{
	fputs(",\"points\":[", f);
	for (size_t i = 0; i < p->n; i++) {
		const struct sd_stack_profile_point *const x = &p->point[i];

		fprintf(f, "%s{\"cores\":%u,\"runs\":%zu,\"left_out_us\":%.0f,\"rows\":[",
			i ? "," : "", x->cores, x->runs, 1e6 * (sum(&whole->point[i]) - sum(x)));
		for (size_t k = 0; k < x->n; k++)
			fprintf(f, "%s[%u,%d,%.0f]", k ? "," : "", number[x->row[k].node],
				(int)x->row[k].activity, 1e6 * x->row[k].seconds);
		fputs("]}", f);
	}
	fputs("]", f);
}

/* The kind of an activity, which has a colour. */
static const char *kind_of(enum sd_activity a)
{
	static const char *const waiting[SD_WAIT_COUNT] = {
		[SD_WAIT_LOCK] = "lock",
		[SD_WAIT_SYNC] = "barrier",
		[SD_WAIT_JOIN] = "barrier",
		[SD_WAIT_TASK] = "barrier",
		[SD_WAIT_KERNEL] = "lock",
		[SD_WAIT_DISK] = "io",
		[SD_WAIT_PIPE] = "io",
		[SD_WAIT_NETWORK] = "io",
	};
	static const char *const group[] = {[SD_GROUP_RUNNING] = "work",
		[SD_GROUP_SPINNING] = "spin",
		[SD_GROUP_KERNEL] = "kernel"};
	const struct sd_activity_info *const info = &sd_activity_info[a];

	if (info->group != SD_GROUP_WAITING)
		return group[info->group];
	if (a == SD_ACTIVITY_RUNNABLE)
		return "no-cpu";
	return waiting[info->wait] ? waiting[info->wait] : "other";
}

static void put_activities(FILE *f)
{
	fputs(",\"activities\":[", f);
	for (int i = 0; i < SD_ACTIVITY_COUNT; i++)
		fprintf(f, "[\"%s\",\"%s\"],", sd_activity_info[i].label,
			kind_of((enum sd_activity)i));
	fputs("[\"on a CPU\",\"work\"],[\"not there\",\"none\"]]", f);
}

static int put_names(FILE *f, const struct sd_viewer_functions *v)
{
	int rc = 0;

	fputs(",\"names\":[", f);
	for (size_t i = 0; i < v->n && !rc; i++) {
		fputs(i ? "," : "", f);
		rc = put_string(f, v->function[i].name);
	}
	fputs("]", f);
	return rc;
}

int sd_html_stacks_data(FILE *f, const struct sd_record *r, const struct sd_report_style *s)
{
	static const struct sd_stack_profile nothing = {0};
	const struct sd_stack_profile *const whole = s && s->stacks ? s->stacks : &nothing;
	struct sd_stack_profile p = {0};
	struct sd_viewer_functions v = {0};
	unsigned *number = calloc(r->stacks.n_node + 1, sizeof *number);
	int rc = number ? take_heaviest(whole, &p) : -ENOMEM;

	rc = rc ? rc : sd_viewer_functions_begin(&v, r);
	if (!rc) {
		sd_viewer_functions_use_all(&v, &p, NULL);
		rc = sd_viewer_functions_end(&v);
	}
	if (!rc) {
		fputs(",\"stacks\":{", f);
		put_nodes(f, &v, number);
		put_points(f, whole, &p, number);
		put_activities(f);
		rc = put_names(f, &v);
		rc = rc ? rc : put_timeline(f, r, put_string);
		fputs("}", f);
	}
	sd_viewer_functions_free(&v);
	sd_stack_profile_free(&p);
	free(number);
	return rc;
}
