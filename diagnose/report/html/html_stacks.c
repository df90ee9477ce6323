#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "export/viewer_functions.h"
#include "html/html_sections.h"
#include "html/html_timeline.h"

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
		rc = rc ? rc : sd_html_timeline_data(f, r, put_string);
		fputs("}", f);
	}
	sd_viewer_functions_free(&v);
	sd_stack_profile_free(&p);
	free(number);
	return rc;
}
