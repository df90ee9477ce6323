#include "html/html_timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/lane_steps.h"
#include "page/sanitize.h"

/* Bins of all lanes together: some 200 kB of text. */
#define BINS 20000u
#define BINS_MOST 1000u
#define BINS_LEAST 8u
#define LANES 256u /* of a count */

#define ON_CPU SD_ACTIVITY_COUNT
#define NOT_THERE (SD_ACTIVITY_COUNT + 1)
#define STATES (SD_ACTIVITY_COUNT + 2)

/* What a lane did in a bin, state by state. */
struct bin {
	struct {
		uint64_t all, longest;
		unsigned node, lock; /* of the longest */
	} in[STATES];
};

struct cut {
	struct bin *bin;
	unsigned n;
	uint64_t length;
};

static uint64_t edge(const struct cut *c, unsigned i)
{
	return (uint64_t)((double)c->length * i / c->n);
}

static int add_step(void *ctx, const struct sd_lane_step *s)
{
	struct cut *const c = ctx;
	const unsigned state = s->kind == SD_LANE_STEP_UNKNOWN   ? NOT_THERE
			       : s->kind == SD_LANE_STEP_ON_CPU  ? ON_CPU
			       : s->activity < SD_ACTIVITY_COUNT ? (unsigned)s->activity
								 : ON_CPU;
	unsigned i = (unsigned)((double)s->from * c->n / (double)c->length);

	for (; i < c->n && edge(c, i) < s->to; i++) {
		const uint64_t from = s->from > edge(c, i) ? s->from : edge(c, i),
			       to = s->to < edge(c, i + 1) ? s->to : edge(c, i + 1);

		if (to <= from)
			continue;
		c->bin[i].in[state].all += to - from;
		if (to - from <= c->bin[i].in[state].longest)
			continue;
		c->bin[i].in[state].longest = to - from;
		c->bin[i].in[state].node = s->node;
		c->bin[i].in[state].lock = s->span ? s->span->lock : 0;
	}
	return 0;
}

static unsigned state_of(const struct bin *b)
{
	unsigned most = NOT_THERE;

	for (unsigned i = 0; i < STATES; i++)
		if (b->in[i].all > b->in[most].all)
			most = i;
	return most;
}

/* The function that a stack ends in, counted from 1; 0 unknown. */
static unsigned function_of(const struct sd_viewer_functions *v, unsigned node)
{
	const struct sd_stacks *const s = v->stacks;

	if (!node || node >= s->n_node || !v->used[node] || s->node[node].frame >= s->n_frame)
		return 0;
	return v->of[s->node[node].frame] + 1;
}

struct step {
	unsigned state, function, lock;
};

static void put_step(FILE *f, const struct step *s, unsigned bins, int first)
{
	fprintf(f, "%s[%u,%u", first ? "" : ",", bins, s->state);
	if (s->function || s->lock)
		fprintf(f, ",%u", s->function);
	if (s->lock)
		fprintf(f, ",%u", s->lock);
	fputs("]", f);
}

static void put_steps(
	FILE *f, const struct sd_viewer_functions *v, const struct cut *c, unsigned *lock_number)
{
	struct step last = {0};
	unsigned since = 0;

	fputs("\"steps\":[", f);
	for (unsigned i = 0; i <= c->n; i++) {
		struct step now = {0};

		if (i < c->n) {
			const unsigned state = state_of(&c->bin[i]);
			const unsigned lock = c->bin[i].in[state].lock;

			now.state = state;
			now.function = function_of(v, c->bin[i].in[state].node);
			now.lock = lock < v->stacks->n_text ? lock_number[lock] : 0;
		}
		if (i == 0 || (i < c->n && memcmp(&now, &last, sizeof now) == 0)) {
			last = now;
			continue;
		}
		put_step(f, &last, i - since, since == 0);
		since = i;
		last = now;
	}
	fputs("]", f);
}

static int put_thread(FILE *f, const struct sd_viewer_functions *v, struct cut *c,
	const struct sd_thread_lanes_thread *t, unsigned *lock_number,
	int (*put_string)(FILE *f, const char *text))
{
	char raw[sizeof t->name + 1] = "", *clean;
	int rc;

	memcpy(raw, t->name, sizeof t->name);
	clean = sd_sanitize(raw);
	memset(c->bin, 0, c->n * sizeof *c->bin);
	fputs("{\"name\":", f);
	rc = clean ? put_string(f, clean) : -ENOMEM;
	fprintf(f, ",\"tid\":%d,", t->tid);
	free(clean);
	if (c->length)
		sd_lane_steps_each(t, c->length, add_step, c);
	put_steps(f, v, c, lock_number);
	fputs("}", f);
	return rc;
}

static int put_run(FILE *f, const struct sd_viewer_functions *v,
	const struct sd_thread_lanes_run *run, unsigned bins, unsigned *lock_number,
	int (*put_string)(FILE *f, const char *text))
{
	const size_t lanes = run->n < LANES ? run->n : LANES;
	struct cut c = {.bin = calloc(bins, sizeof *c.bin), .n = bins, .length = run->length};
	int rc = c.bin ? 0 : -ENOMEM;

	fprintf(f, "{\"cores\":%u,\"length_ns\":%llu,\"bins\":%u,\"more\":%zu,\"threads\":[",
		run->cores, (unsigned long long)run->length, bins, run->n - lanes);
	for (size_t i = 0; i < lanes && !rc; i++) {
		fputs(i ? "," : "", f);
		rc = put_thread(f, v, &c, &run->thread[i], lock_number, put_string);
	}
	fputs("]}", f);
	free(c.bin);
	return rc;
}

/* The names of the locks that a lane waits for, each once; their numbers from 1. */
static int put_locks(FILE *f, const struct sd_stacks *s, const struct sd_thread_lanes *lanes,
	unsigned *number, int (*put_string)(FILE *f, const char *text))
{
	unsigned n = 0;
	int rc = 0;

	fputs(",\"locks\":[", f);
	for (size_t i = 0; lanes && i < lanes->n; i++)
		for (size_t k = 0; k < lanes->run[i].n; k++)
			for (size_t j = 0; j < lanes->run[i].thread[k].n_span && !rc; j++) {
				const unsigned lock = lanes->run[i].thread[k].span[j].lock;
				char *clean;

				if (!lock || lock >= s->n_text || number[lock])
					continue;
				number[lock] = ++n;
				clean = sd_sanitize(s->text[lock] ? s->text[lock] : "");
				fputs(n > 1 ? "," : "", f);
				rc = clean ? put_string(f, clean) : -ENOMEM;
				free(clean);
			}
	fputs("]", f);
	return rc;
}

int sd_html_timeline_data(FILE *f, const struct sd_viewer_functions *v,
	const struct sd_thread_lanes *lanes, int (*put_string)(FILE *f, const char *text))
{
	unsigned *const lock_number = calloc(v->stacks->n_text + 1, sizeof *lock_number);
	unsigned bins = BINS_MOST;
	size_t threads = 0;
	int rc = lock_number ? 0 : -ENOMEM;

	for (size_t i = 0; lanes && i < lanes->n; i++)
		threads += lanes->run[i].n < LANES ? lanes->run[i].n : LANES;
	if (threads && BINS / threads < bins)
		bins = BINS / threads < BINS_LEAST ? BINS_LEAST : (unsigned)(BINS / threads);
	rc = rc ? rc : put_locks(f, v->stacks, lanes, lock_number, put_string);
	fputs(",\"runs\":[", f);
	for (size_t i = 0; lanes && i < lanes->n && !rc; i++) {
		fputs(i ? "," : "", f);
		rc = put_run(f, v, &lanes->run[i], bins, lock_number, put_string);
	}
	fputs("]", f);
	free(lock_number);
	return rc;
}
