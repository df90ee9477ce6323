/*
 * Results of kept samples of small programs, to the last digit that is the same on every machine:
 * each trace of tests/fixtures/traces is replayed, resolved and attributed, and the answer is what
 * the text beside it says. SD_GOLDEN=write writes the texts anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/configs.h"
#include "probe/accountant.h"
#include "resolve/timeline_build.h"
#include "symbols/symbols.h"
#include "trace/trace.h"
#include "trace/trace_file.h"

#define FOLDER "tests/fixtures/traces"
#define CORES 2 /* of every run that was kept */

/* ---- a trace, resolved ----------------------------------------------------------------------- */

struct replayed {
	struct sd_capture *capture;
	struct sd_symbols *symbols;
	struct sd_stacks stacks;
	struct sd_stack_resolve placing;
	struct sd_timeline timeline;
};

static int find_first(void *ctx, const struct sd_event *e)
{
	int *const first = ctx;

	if (e->kind != SD_EVENT_EXEC)
		return 0;
	*first = e->pid;
	return 1;
}

/* Names are of the programs and the kernel symbols in the folder alone, not of this machine's. */
static void replay(struct replayed *r, const char *path)
{
	struct sd_timeline_build build = {.placing = &r->placing, .timeline = &r->timeline};
	struct sd_trace_facts facts;

	sd_trace_facts(r->capture, &facts);
	assert_int_equal(sd_symbols_open(&r->symbols, FOLDER "/root"), 0);
	assert_int_equal(
		sd_stack_resolve_open(&r->placing, r->symbols, &r->stacks, sd_configs_dir(), NULL),
		0);
	assert_int_equal(sd_trace_replay(r->capture, find_first, &build.first), 1);
	r->timeline.first = build.first;
	r->timeline.together = facts.together && !facts.thinned;
	assert_int_equal(sd_trace_replay(r->capture, sd_timeline_build_event, &build), 0);
	sd_timeline_build_end(&build);
	sd_timeline_build_free(&build);
	if (!r->timeline.n)
		fail_msg("%s: nothing happened in it", path);
	r->timeline.end = r->timeline.moment[r->timeline.n - 1].time;
	sd_timeline_bound(&r->timeline);
}

static void forget(struct replayed *r)
{
	sd_timeline_free(&r->timeline);
	sd_stack_resolve_close(&r->placing);
	sd_stacks_free(&r->stacks);
	sd_symbols_close(r->symbols);
	sd_trace_close(r->capture);
}

/* ---- as text --------------------------------------------------------------------------------- */

static const char *text_of(const struct sd_stacks *s, unsigned number)
{
	const char *const text = number < s->n_text ? s->text[number] : "";
	const char *const slash = strrchr(text, '/');

	return slash ? slash + 1 : text;
}

/* Functions, leaf first; where there is none, the file and the place in it. */
static void print_stack(FILE *f, const struct sd_stacks *s, unsigned node)
{
	for (; node; node = s->node[node].parent) {
		const struct sd_frame *const frame = &s->frame[s->node[node].frame];

		if (frame->function)
			fprintf(f, " %s", text_of(s, frame->function));
		else
			fprintf(f, " %s+%llx", text_of(s, frame->module),
				(unsigned long long)frame->offset);
	}
	fputc('\n', f);
}

static void print_value(FILE *f, const char *name, struct sd_value v)
{
	if (sd_has(v))
		fprintf(f, "%s %.6f\n", name, v.value);
	else
		fprintf(f, "%s -\n", name);
}

static void print_timeline(FILE *f, const struct sd_timeline *t)
{
	size_t kind[SD_MOMENT_EXIT + 1] = {0};

	for (size_t i = 0; i < t->n; i++)
		kind[t->moment[i].kind]++;
	fprintf(f,
		"timeline %.6f s, %zu threads, %zu places, %zu gaps, unwatched %.6f, lost %llu\n",
		(double)(t->end - t->start) * 1e-9, t->n_thread, t->n_place, t->n_gap, t->unwatched,
		(unsigned long long)t->lost);
	fprintf(f, "moments %zu:", t->n);
	for (size_t i = 0; i <= SD_MOMENT_EXIT; i++)
		fprintf(f, " %zu", kind[i]);
	fputc('\n', f);
}

static void print_rows(FILE *f, const struct sd_stacks *s, const struct sd_sampled *of)
{
	fputs("use: seconds count longest solo | blame serial imbalance lock | spun-serial "
	      "spun-imbalance | atomic\n",
		f);
	for (size_t i = 0; i < of->n_use; i++) {
		const struct sd_use *const u = &of->use[i];

		fprintf(f, "%s %.6f %.2f %.6f %.6f | %.6f %.6f %.6f %.6f | %.6f %.6f | %.6f",
			sd_activity_info[u->activity].name, u->seconds, u->count, u->longest,
			u->solo, u->blame, u->blame_serial, u->blame_imbalance, u->blame_lock,
			u->spun_serial, u->spun_imbalance, u->atomic);
		print_stack(f, s, u->node);
	}
}

static void print_locks(FILE *f, const struct sd_stacks *s, const struct sd_sampled *of)
{
	for (size_t i = 0; i < of->n_lock; i++) {
		const struct sd_lock_use *const l = &of->lock[i];

		fprintf(f, "lock %s %s waits %.2f %.6f s, longest %.6f, busy %.6f\n",
			text_of(s, l->name), sd_activity_info[l->kind].name, l->waits, l->wait_s,
			l->longest_s, l->busy.value);
		for (size_t k = 0; k < SD_LOCK_STACKS && l->holder[k].seconds > 0; k++) {
			fprintf(f, "  held %.6f", l->holder[k].seconds);
			print_stack(f, s, l->holder[k].node);
		}
	}
	for (size_t i = 0; i < of->n_bottle; i++)
		fprintf(f, "thread %s height %.6f width %.6f\n", of->bottle[i].name,
			of->bottle[i].height, of->bottle[i].width);
}

static void print_answer(FILE *f, struct replayed *r)
{
	const struct sd_accountant_run of = {.stacks = &r->stacks, .cores = CORES, .exact = 1};
	struct sd_run run = {0};

	assert_int_equal(sd_accountant_rules.timeline(&r->timeline, &of, &run), 0);
	print_timeline(f, &r->timeline);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		fprintf(f, "idle %s %.6f\n", sd_idle_name[i], run.idle[i].value);
	for (size_t i = 0; i < run.n_concurrency; i++)
		fprintf(f, "concurrency %zu %.6f\n", i, run.concurrency[i]);
	print_value(f, "useful-alone", run.sampled.useful_alone);
	print_value(f, "spun-serial", run.sampled.spun_serial);
	print_value(f, "spun-imbalance", run.sampled.spun_imbalance);
	print_rows(f, &r->stacks, &run.sampled);
	print_locks(f, &r->stacks, &run.sampled);
	free(run.concurrency);
	sd_sampled_free(&run.sampled);
}

/* ---- the texts ------------------------------------------------------------------------------- */

static char *read_all(const char *path)
{
	FILE *const f = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	if (!f)
		fail_msg("%s is not there", path);
	if (getdelim(&text, &room, '\0', f) < 0)
		fail_msg("%s is empty", path);
	fclose(f);
	return text;
}

static void write_all(const char *path, const char *text)
{
	FILE *const f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* The line that differs says more than two whole texts. */
static void compare(const char *path, const char *got, const char *want)
{
	for (size_t line = 1; *got || *want; line++) {
		const size_t n = strcspn(got, "\n"), m = strcspn(want, "\n");

		if (n != m || memcmp(got, want, n) != 0)
			fail_msg("%s:%zu\n  is   %.*s\n  was  %.*s", path, line, (int)n, got,
				(int)m, want);
		got += n + (got[n] != '\0');
		want += m + (want[m] != '\0');
	}
}

static void answers_as_before(const char *name)
{
	struct replayed r = {0};
	char path[256], golden[256], *text = NULL;
	size_t size;
	FILE *f;
	int rc;

	snprintf(path, sizeof path, FOLDER "/%s.perf", name);
	snprintf(golden, sizeof golden, FOLDER "/%s.txt", name);
	rc = sd_capture_from_file(&r.capture, path);
	if (rc == -ENOEXEC) {
		print_message("SKIP: %s: kept on another kind of machine\n", path);
		skip();
	}
	if (rc)
		fail_msg("%s: %s", path, strerror(-rc));
	replay(&r, path);
	f = open_memstream(&text, &size);
	assert_non_null(f);
	print_answer(f, &r);
	assert_int_equal(fclose(f), 0);
	if (getenv("SD_GOLDEN"))
		write_all(golden, text);
	else {
		char *const want = read_all(golden);

		compare(golden, text, want);
		free(want);
	}
	free(text);
	forget(&r);
}

#define ANSWERS(name)                              \
	static void name##_as_before(void **state) \
	{                                          \
		(void)state;                       \
		answers_as_before(#name);          \
	}
ANSWERS(serial)
ANSWERS(imbalance)
ANSWERS(mutex)
ANSWERS(regions)
ANSWERS(spin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serial_as_before),
		cmocka_unit_test(imbalance_as_before),
		cmocka_unit_test(mutex_as_before),
		cmocka_unit_test(regions_as_before),
		cmocka_unit_test(spin_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
