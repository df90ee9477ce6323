/*
 * A record that grows by lines: at any moment the file reads as what was measured until then, and
 * wherever it is cut or damaged, as what was measured before that.
 */
#include "record/record_journal.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/make_full.h"

#define STEPS 6
#define ROOM ((size_t)1 << 16)

static void begin(struct sd_record *r)
{
	static const unsigned cores[] = {1, 2};

	make_record(r, cores, 2);
	r->complete = 0;
}

/* One more run, and what else a measurement does to its record. */
static void step(struct sd_record *r, int k)
{
	struct sd_run *const run = make_run(r, (size_t)k % 2, 1 + k / 7., 1, 0.1);
	struct sd_frame frame = {.line = 7 + (unsigned)k};
	char name[32];
	unsigned number, node;

	run->lanes = k ? make_lanes_of_two() : NULL;
	if (k == 1)
		make_sampled(r, run);
	if (k == 2)
		assert_int_equal(sd_texts_add(&r->warnings, "a \"warning\"\n\x1b[31m"), 0);
	if (k == 3) {
		r->calibration.statement = strdup("measured now");
		r->layout.pu = make_zeroed(2, sizeof *r->layout.pu);
		r->layout.n_pu = 2;
		r->layout.pu[1].os = r->layout.pu[1].core = 1;
	}
	if (k == 4)
		r->plan.budget_s = 1. / 3;
	if (k == 3 || k == 5) { /* only the newer one keeps them */
		sd_binned_lanes_free(r->run[k - 2].lanes);
		r->run[k - 2].lanes = NULL;
		snprintf(name, sizeof name, "caf\xe9 %d", k);
		assert_int_equal(sd_stacks_text(&r->stacks, name, &frame.function), 0);
		assert_int_equal(sd_stacks_frame(&r->stacks, &frame, &number), 0);
		assert_int_equal(sd_stacks_node(&r->stacks, 1, number, &node), 0);
	}
}

/* The record after each step, and the length of its file. */
struct grown {
	char *want[STEPS + 1];
	size_t n_want[STEPS + 1], size[STEPS + 1];
	char *text;
	size_t n;
};

static void grow(struct world *w, struct grown *g)
{
	const struct sd_sink sink = sink_of(w);
	struct sd_record_journal *j = NULL;
	struct sd_record r;
	struct stat st, first;

	begin(&r);
	assert_int_equal(sd_record_journal_begin(&j, w->path, &r, &sink), 0);
	assert_non_null(j);
	assert_int_equal(stat(w->path, &first), 0);
	for (int k = 0; k <= STEPS; k++) {
		if (k) {
			step(&r, k - 1);
			assert_int_equal(sd_record_journal_add(&j, &r, &sink), 0);
		}
		assert_int_equal(stat(w->path, &st), 0);
		assert_int_equal(st.st_ino, first.st_ino);
		g->size[k] = (size_t)st.st_size;
		g->want[k] = encode(&r, &g->n_want[k]);
	}
	assert_int_equal(sd_record_journal_sync(j, &sink), 0);
	sd_record_journal_end(&j);
	assert_null(j);
	assert_int_equal(w->messages, 0);
	sd_record_free(&r);
	g->text = slurp(w->path, &g->n);
}

static void grown_free(struct grown *g)
{
	for (int k = 0; k <= STEPS; k++)
		free(g->want[k]);
	free(g->text);
}

/* The text reads as the record was after `k` steps; so many messages. */
static void expect(
	struct world *w, const struct grown *g, const char *text, size_t n, size_t k, int messages)
{
	const struct sd_sink sink = sink_of(w);
	struct sd_record r;
	char *found;
	size_t n_found;

	w->messages = 0;
	assert_int_equal(sd_record_parse(text, n, "r.json", &r, &sink), 0);
	assert_int_equal(w->messages, messages);
	assert_int_equal(r.n_run, k);
	assert_int_equal(r.complete, 0);
	found = encode(&r, &n_found);
	assert_int_equal(n_found, g->n_want[k]);
	assert_memory_equal(found, g->want[k], n_found);
	free(found);
	sd_record_free(&r);
}

static void wherever_it_is_cut_all_runs_before_are_read(void **state)
{
	struct world *w = *state;
	struct grown g;

	grow(w, &g);
	assert_int_equal(g.n, g.size[STEPS]);
	for (size_t k = 0, cut = g.size[0]; cut <= g.n; cut++) {
		int is_whole;

		if (k < STEPS && cut == g.size[k + 1])
			k++;
		is_whole = cut == g.size[k];
		expect(w, &g, g.text, cut, k, !is_whole);
		if (!is_whole)
			assert_non_null(strstr(w->said, "the last run was not written whole"));
	}
	grown_free(&g);
}

static void a_damaged_line_is_said_and_nothing_behind_it_is_read(void **state)
{
	struct world *w = *state;
	struct grown g;
	char said[64];

	grow(w, &g);
	for (size_t k = 0; k < STEPS; k++) {
		const size_t at = g.size[k], size = g.size[k + 1] - at;
		char *const other = make_zeroed(g.n, 1);

		/* a byte is another one, everywhere in the line */
		for (size_t i = 1; i < size; i++) {
			memcpy(other, g.text, g.n);
			other[at + i] ^= 1;
			if (i >= sizeof "{\"crc32\":\"" - 1 || k)
				expect(w, &g, other, g.n, k, 1);
		}
		snprintf(said, sizeof said, "the %zu behind it", STEPS - k - 1);
		memcpy(other, g.text, g.n);
		other[at + size / 2] = 0;
		expect(w, &g, other, g.n, k, 1);
		if (k + 1 < STEPS)
			assert_non_null(strstr(w->said, said));
		/* it is missing */
		memcpy(other, g.text, at);
		memcpy(other + at, g.text + at + size, g.n - at - size);
		expect(w, &g, other, g.n - size, k, k + 1 < STEPS);
		/* the machine came to its end before the bytes did */
		memcpy(other, g.text, g.n);
		memset(other + at, 0, g.n - at);
		expect(w, &g, other, g.n, k, 1);
		free(other);
	}
	grown_free(&g);
}

static void written_whole_it_is_the_plain_record(void **state)
{
	struct world *w = *state;
	struct sd_record r;
	struct grown g;
	char *text;
	size_t n;

	grow(w, &g);
	assert_int_equal(sd_record_read(w->path, &r, NULL), 0);
	assert_int_equal(sd_record_write(w->path, &r, NULL), 0);
	text = slurp(w->path, &n);
	assert_int_equal(n, g.n_want[STEPS]);
	assert_memory_equal(text, g.want[STEPS], n);
	assert_int_equal(files_in(w->folder), 1);
	free(text);
	sd_record_free(&r);
	grown_free(&g);
}

/* A line is as long for the hundredth run as for the first; and the file is open, whoever may open
 * it by then. */
static void a_line_is_of_its_run_alone(void **state)
{
	struct world *w = *state;
	struct sd_record_journal *j = NULL;
	off_t first = 0, last = 0, before;
	struct sd_record r;
	struct stat st;

	begin(&r);
	assert_int_equal(sd_record_journal_begin(&j, w->path, &r, NULL), 0);
	assert_int_equal(chmod(w->path, 0400), 0);
	assert_int_equal(stat(w->path, &st), 0);
	for (int i = 0; i < 100; i++) {
		before = st.st_size;
		make_run(&r, 0, 1, 1, 0)->block = 7;
		assert_int_equal(sd_record_journal_add(&j, &r, NULL), 0);
		assert_int_equal(stat(w->path, &st), 0);
		last = st.st_size - before;
		first = i ? first : last;
	}
	assert_int_equal(first, last);
	sd_record_journal_end(&j);
	sd_record_free(&r);
}

/* ---- the file is not ours any more ----------------------------------------------------------- */

static void remove_it(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

static void replace_it(const char *path)
{
	assert_int_equal(unlink(path), 0);
	spill(path, "somebody's", 10);
}

static void append_to_it(const char *path)
{
	FILE *const f = fopen(path, "a");

	assert_non_null(f);
	assert_true(fputs("somebody's", f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void empty_it(const char *path)
{
	assert_int_equal(truncate(path, 0), 0);
}

static void link_it(const char *path)
{
	char other[160];

	snprintf(other, sizeof other, "%s.moved", path);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink(other, path), 0);
}

static void what_others_have_put_there_is_left_alone(void **state)
{
	static void (*const happens[])(const char *) = {
		remove_it, replace_it, append_to_it, empty_it, link_it};
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);

	for (size_t i = 0; i < sizeof happens / sizeof *happens; i++) {
		struct sd_record_journal *j = NULL;
		struct sd_record r;
		char *before, *after;
		size_t n, m;

		begin(&r);
		unlink(w->path);
		assert_int_equal(sd_record_journal_begin(&j, w->path, &r, &sink), 0);
		make_run(&r, 0, 1, 1, 0);
		happens[i](w->path);
		before = access(w->path, F_OK) == 0 ? slurp(w->path, &n) : NULL;
		assert_int_equal(sd_record_journal_add(&j, &r, &sink), -ESTALE);
		assert_null(j);
		assert_int_equal(sd_record_journal_add(&j, &r, &sink), -ESTALE);
		assert_int_equal(access(w->path, F_OK) == 0, before != NULL);
		if (before) {
			after = slurp(w->path, &m);
			assert_int_equal(n, m);
			assert_memory_equal(before, after, n);
			free(after);
		}
		free(before);
		sd_record_free(&r);
	}
	assert_int_equal(w->messages, 0);
}

/* ---- no room --------------------------------------------------------------------------------- */

/* Appends until it fails with `error`: that is said once, and what was there before is whole. */
static int fill(struct world *w, int error, const char *advice)
{
	const struct sd_sink sink = sink_of(w);
	struct sd_record_journal *j = NULL;
	struct sd_record r, back;
	int rc = 0;

	begin(&r);
	if (sd_record_journal_begin(&j, w->path, &r, &sink))
		return 1;
	for (int i = 0; i < 10000 && !rc; i++) {
		make_run(&r, 0, 1, 1, 0);
		rc = sd_record_journal_add(&j, &r, &sink);
	}
	if (rc != error || j || w->messages != 1 || !strstr(w->said, advice))
		return 2;
	if (sd_record_read(w->path, &back, &sink) || w->messages != 1)
		return 3;
	rc = back.n_run > 0 && back.n_run == r.n_run - 1 ? 0 : 4;
	sd_record_free(&back);
	sd_record_free(&r);
	return rc;
}

static int fill_limit(struct world *w)
{
	const struct rlimit limit = {ROOM, ROOM};

	return setrlimit(RLIMIT_FSIZE, &limit) ? 77 : fill(w, -EFBIG, "ulimit -f");
}

static int fill_disk(struct world *w)
{
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("tmpfs", w->folder, "tmpfs", 0, "size=64k") != 0)
		return 77;
	return fill(w, -ENOSPC, "free some space");
}

static void without_room_the_runs_before_stay_whole(void **state)
{
	static int (*const fills[])(struct world *) = {fill_limit, fill_disk};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
		const pid_t child = fork();
		int status;

		if (child == 0)
			_exit(fills[i](w));
		assert_int_equal(waitpid(child, &status, 0), child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
			fprintf(stderr, "SKIP: without_room_the_runs_before_stay_whole: no limit "
					"and no tmpfs here\n");
			skip();
		}
		assert_int_equal(status, 0);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(wherever_it_is_cut_all_runs_before_are_read),
		T(a_damaged_line_is_said_and_nothing_behind_it_is_read),
		T(written_whole_it_is_the_plain_record),
		T(a_line_is_of_its_run_alone),
		T(what_others_have_put_there_is_left_alone),
		T(without_room_the_runs_before_stay_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
