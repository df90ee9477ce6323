#include "store/fleet_store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fleet/fleet_judge.h"
#include "support/fakeproc.h"

static char root[64], path[128];

static int setup(void **state)
{
	(void)state;
	fake_make(root);
	snprintf(path, sizeof path, "%s/fleet.db", root);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_remove(root);
	return 0;
}

/* A node alone, to be freed or added to a fleet. */
static struct sd_fleet_node make(unsigned i, double start, double factor, const char *kernel)
{
	struct sd_node_facts *const facts = calloc(1, sizeof *facts);
	struct sd_fleet_node node = {.start = start, .model_length = 3, .facts = facts};

	assert_non_null(facts);
	snprintf(node.host, sizeof node.host, "n%05u", i);
	snprintf(node.group, sizeof node.group, "cpu, 64 CPUs");
	snprintf(facts->text[SD_NODE_FACT_KERNEL], SD_NODE_FACT_SIZE, "%s", kernel);
	snprintf(facts->text[SD_NODE_FACT_GOVERNOR], SD_NODE_FACT_SIZE, "performance");
	for (size_t k = 0; k < SD_NODE_NUMBERS; k += 2)
		node.number[k] =
			(struct sd_interval){factor * 100, factor * 99, factor * 101, SD_STATUS_OK};
	node.pair = calloc(2, sizeof *node.pair);
	assert_non_null(node.pair);
	node.n_pair = 2;
	snprintf(node.pair[0].cpus, sizeof node.pair[0].cpus, "0-1");
	snprintf(node.pair[1].cpus, sizeof node.pair[1].cpus, "0,17");
	node.pair[0].round_trip = (struct sd_interval){60.5, 60, 61, SD_STATUS_OK};
	node.pair[1].round_trip = (struct sd_interval){200, 190, 210, SD_STATUS_OK};
	return node;
}

static void add(
	struct sd_fleet_store *s, unsigned i, double start, double factor, const char *kernel)
{
	struct sd_fleet_node node = make(i, start, factor, kernel);

	assert_int_equal(sd_fleet_store_add(s, &node), 0);
	sd_fleet_node_free(&node);
}

static struct sd_fleet_store *open_store(int create)
{
	struct sd_fleet_store *s;

	assert_int_equal(sd_fleet_store_open(&s, path, create, NULL), 0);
	return s;
}

static void what_was_added_is_read_again(void **state)
{
	struct sd_fleet_store *s = open_store(1);
	struct sd_fleet_node node = make(1, 1000.25, 1, "6.1");
	struct sd_fleet fleet = {.n = 0};

	(void)state;
	assert_int_equal(sd_fleet_store_add(s, &node), 0);
	assert_int_equal(sd_fleet_store_add(s, &node), 1);
	sd_fleet_store_close(s);
	s = open_store(0);
	assert_int_equal(sd_fleet_store_read(s, &(struct sd_fleet_selection){0}, &fleet), 0);
	assert_int_equal(fleet.n, 1);
	assert_string_equal(fleet.node[0].host, node.host);
	assert_string_equal(fleet.node[0].group, node.group);
	assert_int_equal(fleet.node[0].model_length, 3);
	assert_true(fleet.node[0].start > 1000.2 && fleet.node[0].start < 1000.3);
	assert_memory_equal(fleet.node[0].facts, node.facts, sizeof *node.facts);
	for (size_t k = 0; k < SD_NODE_NUMBERS; k++)
		assert_memory_equal(
			&fleet.node[0].number[k], &node.number[k], sizeof node.number[k]);
	assert_int_equal(fleet.node[0].n_pair, 2);
	assert_string_equal(fleet.node[0].pair[1].cpus, "0,17");
	assert_true(fleet.node[0].pair[0].round_trip.value > 60.4);
	assert_int_equal(sd_fleet_store_add(s, &node), -EACCES);
	sd_fleet_store_close(s);
	sd_fleet_node_free(&node);
	sd_fleet_free(&fleet);
}

static size_t read_with(struct sd_fleet_store *s, struct sd_fleet_selection which, double *start)
{
	struct sd_fleet fleet = {.n = 0};
	size_t n;

	assert_int_equal(sd_fleet_store_read(s, &which, &fleet), 0);
	n = fleet.n;
	*start = n ? fleet.node[0].start : 0;
	sd_fleet_free(&fleet);
	return n;
}

static void a_calibration_is_selected_by_time_fact_and_host(void **state)
{
	struct sd_fleet_store *const s = open_store(1);
	double start;

	(void)state;
	add(s, 1, 20, 1, "6.1");
	add(s, 1, 30, 1, "6.12");
	add(s, 1, 10, 1, "6.1"); /* an older one that comes later */
	add(s, 2, 40, 1, "6.12");
	assert_int_equal(read_with(s, (struct sd_fleet_selection){0}, &start), 2);
	assert_int_equal(start, 30);
	assert_int_equal(read_with(s, (struct sd_fleet_selection){.until = 25}, &start), 1);
	assert_int_equal(start, 20);
	assert_int_equal(
		read_with(s,
			(struct sd_fleet_selection){.fact = SD_NODE_FACT_KERNEL, .text = "6.1"},
			&start),
		1);
	assert_int_equal(start, 20);
	assert_int_equal(read_with(s, (struct sd_fleet_selection){.host = "n00002"}, &start), 1);
	assert_int_equal(start, 40);
	assert_int_equal(read_with(s, (struct sd_fleet_selection){.host = "n"}, &start), 0);
	sd_fleet_store_close(s);
}

static void another_file_is_left_as_it_is(void **state)
{
	struct sd_fleet_store *s;
	char text[32] = "";
	FILE *f;

	(void)state;
	fake_write(root, "fleet.db",
		"somebody's notes, of more than a header's hundred bytes, that "
		"SQLite takes for a file of its own or not, as it likes best");
	assert_true(sd_fleet_store_open(&s, path, 1, NULL) < 0);
	assert_null(s);
	f = fopen(path, "r");
	assert_non_null(fgets(text, 11, f));
	fclose(f);
	assert_string_equal(text, "somebody's");
	snprintf(path, sizeof path, "%s/none.db", root);
	assert_true(sd_fleet_store_open(&s, path, 0, NULL) < 0);
}

/* Each of several processes adds its own nodes: all of them are there, whoever waited for whom. */
static void several_may_write_at_once(void **state)
{
	enum { WRITERS = 4, EACH = 25 };
	struct sd_fleet fleet = {.n = 0};
	struct sd_fleet_store *s;
	pid_t pid[WRITERS];
	int status;

	(void)state;
	for (unsigned w = 0; w < WRITERS; w++) {
		pid[w] = fork();
		if (pid[w] == 0) {
			if (sd_fleet_store_open(&s, path, 1, NULL) != 0)
				_exit(1);
			for (unsigned i = 0; i < EACH; i++) {
				struct sd_fleet_node node = make(w * EACH + i, 1, 1, "6.1");

				if (sd_fleet_store_add(s, &node) != 0)
					_exit(2);
				sd_fleet_node_free(&node);
			}
			sd_fleet_store_close(s);
			_exit(0);
		}
	}
	for (unsigned w = 0; w < WRITERS; w++) {
		assert_int_equal(waitpid(pid[w], &status, 0), pid[w]);
		assert_int_equal(status, 0);
	}
	s = open_store(0);
	assert_int_equal(sd_fleet_store_read(s, &(struct sd_fleet_selection){0}, &fleet), 0);
	assert_int_equal(fleet.n, WRITERS * EACH);
	sd_fleet_store_close(s);
	sd_fleet_free(&fleet);
}

static uint64_t steps_of(unsigned nodes, unsigned calibrations, double until)
{
	static unsigned number;
	struct sd_fleet_store *s;
	struct sd_fleet fleet = {.n = 0};
	uint64_t steps;

	snprintf(path, sizeof path, "%s/%u.db", root, number++);
	s = open_store(1);
	assert_int_equal(sd_fleet_store_begin(s), 0);
	for (unsigned k = 0; k < calibrations; k++)
		for (unsigned i = 0; i < nodes; i++)
			add(s, i, k + 1, 1, "6.1");
	assert_int_equal(sd_fleet_store_end(s, 1), 0);
	sd_fleet_store_close(s);
	s = open_store(0);
	assert_int_equal(
		sd_fleet_store_read(s, &(struct sd_fleet_selection){.until = until}, &fleet), 0);
	assert_int_equal(fleet.n, nodes);
	steps = sd_fleet_store_steps(s);
	sd_fleet_store_close(s);
	sd_fleet_free(&fleet);
	return steps;
}

/* A report looks at the newest of each node: its history costs nothing. */
static void reading_takes_steps_by_nodes_and_not_by_calibrations(void **state)
{
	(void)state;
	assert_true(steps_of(40, 20, 0) < 1.1 * (double)steps_of(40, 2, 0));
	assert_true(steps_of(40, 21, 2) < 1.5 * (double)steps_of(40, 3, 2));
	assert_true(steps_of(80, 2, 0) < 2.2 * (double)steps_of(40, 2, 0));
}

static void a_sweep_goes_on_where_it_was_left(void **state)
{
	struct sd_fleet_store *s = open_store(1);
	char one[] = "n1", two[] = "n2", three[] = "n3", *all[] = {one, two, three};
	const struct sd_texts hosts = {all, 3};
	struct sd_texts left = {.n = 0};
	int64_t sweep, again;

	(void)state;
	assert_int_equal(sd_fleet_store_sweep_begin(s, "hosts", &hosts, 1, &sweep, &left), 0);
	assert_int_equal(left.n, 3);
	sd_texts_free(&left);
	assert_int_equal(sd_fleet_store_sweep_done(s, sweep, "n2"), 0);
	sd_fleet_store_close(s);
	s = open_store(1);
	assert_int_equal(sd_fleet_store_sweep_begin(s, "hosts", &hosts, 2, &again, &left), 0);
	assert_int_equal(again, sweep);
	assert_int_equal(left.n, 2);
	assert_string_equal(left.text[1], "n3");
	sd_texts_free(&left);
	assert_int_equal(sd_fleet_store_sweep_begin(s, "other", &hosts, 2, &again, &left), 0);
	assert_int_equal(left.n, 3);
	sd_texts_free(&left);
	assert_int_equal(sd_fleet_store_sweep_end(s, sweep, 3), 0);
	assert_int_equal(sd_fleet_store_sweep_begin(s, "hosts", &hosts, 4, &again, &left), 0);
	assert_int_not_equal(again, sweep);
	assert_int_equal(left.n, 3);
	sd_texts_free(&left);
	sd_fleet_store_close(s);
}

struct seen {
	char hosts[64];
	double last;
	int in_order;
};

static int note(void *ctx, const struct sd_fleet_node *node)
{
	struct seen *const seen = ctx;

	snprintf(seen->hosts + strlen(seen->hosts), sizeof seen->hosts - strlen(seen->hosts), "%s ",
		node->host + 5);
	seen->in_order &= node->start >= seen->last;
	seen->last = node->start;
	return 0;
}

static void all_are_handed_over_by_host_and_time(void **state)
{
	struct sd_fleet_store *const s = open_store(1);
	struct seen seen = {.in_order = 1};

	(void)state;
	add(s, 2, 30, 1, "6.1");
	add(s, 2, 10, 1, "6.1");
	add(s, 1, 20, 1, "6.1");
	assert_int_equal(sd_fleet_store_each(s, NULL, note, &seen), 0);
	assert_string_equal(seen.hosts, "1 2 2 ");
	seen = (struct seen){.in_order = 1};
	assert_int_equal(sd_fleet_store_each(s, "n00002", note, &seen), 0);
	assert_string_equal(seen.hosts, "2 2 ");
	assert_true(seen.in_order);
	sd_fleet_store_close(s);
}

static void copy(const char *suffix)
{
	char from[160], to[160], block[4096];
	FILE *in, *out;
	size_t n;

	snprintf(from, sizeof from, "%s%s", path, suffix);
	snprintf(to, sizeof to, "%s/left.db%s", root, suffix);
	in = fopen(from, "re");
	out = fopen(to, "we");
	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(block, 1, sizeof block, in)) > 0)
		assert_int_equal(fwrite(block, 1, n, out), n);
	assert_int_equal(fclose(in), 0);
	assert_int_equal(fclose(out), 0);
}

/* The files as they are in the midst of adding more than SQLite keeps in memory: what a writer
 * leaves that is killed then. */
static void what_a_killed_writer_leaves_is_read(void **state)
{
	struct sd_fleet_store *s = open_store(1), *left;
	char name[160];
	double start;

	(void)state;
	add(s, 1, 10, 1, "6.1");
	assert_int_equal(sd_fleet_store_begin(s), 0);
	for (unsigned i = 2; i < 12000; i++)
		add(s, i, 10, 1, "6.1");
	copy("");
	copy("-journal");
	assert_int_equal(sd_fleet_store_end(s, 0), 0);
	assert_int_equal(sd_fleet_store_end(s, 0), 0);
	sd_fleet_store_close(s);
	snprintf(name, sizeof name, "%s/left.db", root);
	assert_int_equal(sd_fleet_store_open(&left, name, 0, NULL), 0);
	assert_int_equal(read_with(left, (struct sd_fleet_selection){0}, &start), 1);
	sd_fleet_store_close(left);
	snprintf(name, sizeof name, "%s/left.db-journal", root);
	assert_int_not_equal(access(name, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		TEST(what_was_added_is_read_again),
		TEST(a_calibration_is_selected_by_time_fact_and_host),
		TEST(another_file_is_left_as_it_is),
		TEST(several_may_write_at_once),
		TEST(what_a_killed_writer_leaves_is_read),
		TEST(reading_takes_steps_by_nodes_and_not_by_calibrations),
		TEST(a_sweep_goes_on_where_it_was_left),
		TEST(all_are_handed_over_by_host_and_time),
	};

	return cmocka_run_group_tests_name("fleet_store", tests, NULL, NULL);
}
