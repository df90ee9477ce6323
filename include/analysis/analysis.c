#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

const struct sd_cause_info sd_cause_info[SD_CAUSE_COUNT] = {
#define X(id, n, l) [SD_CAUSE_##id] = {.name = n, .label = l},
	SD_CAUSES(X)
#undef X
};

const char *const sd_verdict_name[SD_VERDICT_COUNT] = {
#define X(id, name, label) [SD_VERDICT_##id] = name,
	SD_VERDICTS(X)
#undef X
};

const char *const sd_verdict_label[SD_VERDICT_COUNT] = {
#define X(id, name, label) [SD_VERDICT_##id] = label,
	SD_VERDICTS(X)
#undef X
};

void sd_where_free(struct sd_where *w)
{
	free(w->function);
	free(w->file);
	free(w->module);
	free(w->in);
	free(w->from);
	free(w->object);
	*w = (struct sd_where){0};
}

static void free_wheres(struct sd_where *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sd_where_free(&w[i]);
	free(w);
}

static void free_finding(struct sd_finding *f)
{
	sd_texts_free(&f->evidence);
	sd_texts_free(&f->advice);
	free_wheres(f->where, f->n_where);
	free(f->what);
	free(f->next);
}

static void free_losses(struct sd_losses *l)
{
	for (size_t i = 0; i < l->n_row; i++)
		sd_where_free(&l->row[i].at);
	for (size_t i = 0; i < l->n_path; i++)
		free(l->path[i].path);
	free(l->row);
	free(l->call);
	free(l->path);
	free(l->line);
}

void sd_lock_row_free(struct sd_lock_row *l)
{
	free(l->name);
	free_wheres(l->holder, l->n_holder);
	free_wheres(l->waiter, l->n_waiter);
	*l = (struct sd_lock_row){0};
}

static void free_outlook(struct sd_outlook *o)
{
	for (size_t i = 0; i < o->n_count; i++)
		free(o->count[i].refused);
	free(o->count);
	free(o->refused);
	free(o->next_why);
	sd_texts_free(&o->basis);
}

static void free_events(struct sd_event_hotspots *h)
{
	for (size_t i = 0; i < h->n_row; i++) {
		if (h->row[i].at)
			sd_where_free(h->row[i].at);
		free(h->row[i].at);
		free(h->row[i].cell);
	}
	free(h->row);
	free(h->metric);
}

void sd_analysis_free(struct sd_analysis *a)
{
	for (size_t i = 0; i < a->n_point; i++)
		free(a->point[i].shown);
	free(a->point);
	for (size_t i = 0; i < SD_CAUSE_COUNT; i++)
		free_finding(&a->finding[i]);
	free_losses(&a->losses);
	free_events(&a->events);
	for (size_t i = 0; i < a->n_lock; i++)
		sd_lock_row_free(&a->lock[i]);
	free(a->lock);
	sd_rank_losses_free(&a->ranks);
	sd_region_losses_free(&a->regions);
	free(a->threads.together);
	free_wheres(a->threads.alone, a->threads.n_alone);
	free(a->threads.row);
	for (size_t i = 0; i < a->n_tested; i++) {
		sd_texts_free(&a->tested[i].seen);
		free(a->tested[i].skipped);
	}
	free(a->tested);
	free(a->step);
	free(a->estimate);
	free_outlook(&a->outlook);
	sd_where_free(&a->own_wait_at);
	sd_texts_free(&a->warnings);
	*a = (struct sd_analysis){0};
}

struct sd_interval sd_point_throughput(const struct sd_point *p)
{
	for (size_t i = 0; i < p->n_shown; i++)
		if (strcmp(p->shown[i].name, "throughput") == 0)
			return p->shown[i].value;
	return (struct sd_interval){.status = SD_STATUS_ABSENT};
}

struct sd_interval sd_analysis_inverse(double work, struct sd_interval v)
{
	if (!sd_status_measured(v) || !(v.value > 0))
		return (struct sd_interval){.status = v.status};
	if (!sd_status_bounded(v) || !(v.low > 0))
		return sd_status_unbounded(work / v.value, v.status);
	return (struct sd_interval){work / v.value, work / v.high, work / v.low, v.status};
}

struct sd_interval sd_point_time(const struct sd_analysis *a, const struct sd_point *p)
{
	const struct sd_interval rate = sd_point_throughput(p);

	return a->work > 0 && sd_status_measured(rate) ? sd_analysis_inverse(a->work, rate)
						       : p->wall;
}
