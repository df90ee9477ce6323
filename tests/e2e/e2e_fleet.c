/* A fleet's calibrations: gathered by the site's own commands, judged, compared, handed on. */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fault {
	double bandwidth, latency, pair; /* factors; pair: of CPUs 1,3 alone */
	const char *thp;
};

#define GOOD ((struct fault){1, 1, 1, "always"})

static void scale(json_t *row, double factor)
{
	static const char *const numbers[] = {"median", "q1", "q3", "low", "high"};

	for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
		json_t *const v = json_object_get(row, numbers[j]);

		if (json_is_number(v))
			json_object_set_new(
				row, numbers[j], json_real(factor * json_number_value(v)));
	}
}

static void add_transfer(json_t *rows, const char *cpus, double ns)
{
	assert_int_equal(
		json_array_append_new(rows,
			json_pack("{s:s, s:s, s:i, s:s, s:f, s:s, s:s, s:i, s:i, s:i, s:f, s:f, "
				  "s:f, s:f, s:f, s:s, s:s}",
				"kernel", "transfer", "variant",
				"op=load-store lines=4 line=median", "cores", 2, "cpus", cpus,
				"parameter", 0.0, "parameter_unit", "", "unit", "ns", "state", 0,
				"n", 5, "dropped", 0, "median", ns, "q1", ns * .998, "q3",
				ns * 1.002, "low", ns * .99, "high", ns * 1.01, "status", "ok",
				"why", "")),
		0);
}

/* A profile that was measured, as that of another host with faults of its own. */
static void make_profile(struct e2e *e, const char *path, int i, struct fault f, const char *kernel)
{
	json_t *const root = json_load_file("tests/fixtures/fuzz_profile/levels.json", 0, NULL);
	json_t *const rows = json_object_get(root, "rows");
	const double noise = 1 + 0.001 * (i * 7 % 11 - 5);
	char host[32];
	json_t *row;
	size_t k;

	assert_non_null(root);
	snprintf(host, sizeof host, "n%d", i);
	json_object_set_new(json_object_get(root, "host"), "name", json_string(host));
	json_object_set_new(root, "facts",
		json_pack("{s:s, s:s, s:s}", "thp", f.thp, "memory", "256 GiB", "kernel", kernel));
	json_array_foreach(rows, k, row)
	{
		const char *const kernel_name = json_string_value(json_object_get(row, "kernel"));

		if (strcmp(kernel_name, "ceiling") == 0)
			scale(row, f.bandwidth * noise);
		if (strcmp(kernel_name, "latency") == 0)
			scale(row, f.latency * noise);
	}
	add_transfer(rows, "0-1", 60 * noise);
	add_transfer(rows, "1,3", 62 * f.pair * noise);
	add_transfer(rows, "0,2", 230 * noise);
	assert_int_equal(json_dump_file(root, e2e_path(e, path), 0), 0);
	json_decref(root);
}

static void make_node(struct e2e *e, int i, struct fault f)
{
	char path[64];

	snprintf(path, sizeof path, "profiles/n%d.json", i);
	make_profile(e, path, i, f, "6.1");
}

static void expect_out(const struct e2e_result *r, const char *words)
{
	if (!strstr(r->out, words))
		fail_msg("'%s' is not in:\n%s", words, r->out);
}

static void three_faults_of_64_nodes_are_named_and_none_besides(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	mkdir(e2e_path(e, "profiles"), 0700);
	for (int i = 0; i < 64; i++)
		make_node(e, i,
			i == 7    ? (struct fault){.95, 1, 1, "always"}
			: i == 20 ? (struct fault){1, 1, 1.2, "always"}
			: i == 50 ? (struct fault){1, 1.12, 1, "never"}
				  : GOOD);
	e2e_run(e, &r, "fleet", "import", "profiles");
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, "64 calibrations added");
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "check", "--tolerance", "3%");
	e2e_expect_status(&r, 1);
	expect_out(&r, "3 of 64 nodes out; 0 not judged");
	expect_out(&r, "n7: bandwidth ");
	expect_out(&r, "a memory channel or module is slow");
	expect_out(&r, "n20: transfer between CPUs 1,3 ");
	expect_out(&r, "the worst pair is CPUs 1,3");
	expect_out(&r, "n50: latency.");
	expect_out(&r, "transparent huge pages: never, its like have always");
	expect_out(&r, "scontrol update nodename=n20 state=drain");
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "check", "--node", "n20");
	e2e_expect_status(&r, 1);
	assert_null(strstr(r.out, "n7:"));
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "check", "--node", "n21");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "check", "--tolerance", "3%", "--format", "openmetrics");
	e2e_expect_status(&r, 1);
	expect_out(&r, "scalediag_node_out{node=\"n20\"} 1\n");
	expect_out(&r, "scalediag_node_out{node=\"n21\"} 0\n");
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "report", "--html", "fleet.html", "profiles");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	assert_int_equal(access(e2e_path(e, "fleet.html"), R_OK), 0);
}

static void what_cannot_be_judged_is_said(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	mkdir(e2e_path(e, "profiles"), 0700);
	e2e_run(e, &r, "fleet", "check", "profiles");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "has no calibration of a node");
	e2e_result_free(&r);
	make_node(e, 1, GOOD);
	e2e_write(e2e_path(e, "profiles/notes.json"), "{}");
	e2e_run(e, &r, "fleet", "check", "profiles");
	e2e_expect_status(&r, 4);
	expect_out(&r, "1 not judged");
	assert_non_null(strstr(r.err, "notes.json"));
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "check", "--tolerance", "much", "profiles");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "'much' is no share");
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "report");
	e2e_expect_status(&r, 4);
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "calibrate");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "which nodes");
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "report", "--db", "nowhere.db");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "nowhere.db: there is no store of a fleet here");
	e2e_result_free(&r);
}

static void make_script(struct e2e *e, const char *name, const char *text)
{
	e2e_write(e2e_path(e, name), text);
	assert_int_equal(chmod(e2e_path(e, name), 0700), 0);
}

static int use_own_path(void *ctx)
{
	return setenv("PATH", ctx, 1);
}

/* Nodes behind commands that stand for srun and the like: each gives the profile of its name, n3
 * only when the file `up` is there. */
static void make_site(struct e2e *e, char *path, size_t size)
{
	char text[2048];

	mkdir(e2e_path(e, "bin"), 0700);
	mkdir(e2e_path(e, "profiles"), 0700);
	for (int i = 1; i <= 5; i++)
		make_node(e, i, i == 4 ? (struct fault){.5, 1, 1, "always"} : GOOD);
	snprintf(text, sizeof text,
		"#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in --nodelist=*) h=${1#*=};; -w) "
		"h=$2; shift;; -o) shift;; -*) ;; *) [ \"$h\" ] || { h=$1; shift; }; break;; esac; "
		"shift; done\n"
		"echo \"$h: $*\" >>%s/log\n"
		"[ $h != n3 ] || [ -e %s/up ] || { echo \"$h: no route to host\" >&2; exit 255; }\n"
		"cat %s/profiles/$h.json\n",
		e->folder, e->folder, e->folder);
	make_script(e, "bin/srun", text);
	make_script(e, "bin/ssh", text);
	make_script(e, "bin/sinfo",
		"#!/bin/sh\nprintf 'n1 idle\\nn2 mixed\\nn3 idle\\nn4 allocated\\nn5 idle\\nn6 "
		"down*\\n'\n");
	snprintf(path, size, "%s/bin:/usr/bin:/bin", e->folder);
}

static void a_calibration_of_slurms_nodes_goes_on_where_it_failed(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char path[600], *log;
	size_t n;

	make_site(e, path, sizeof path);
	e2e_run_hooked(e, &r, use_own_path, path, "fleet", "calibrate", "--slurm", "-p", "long",
		"--at-once", "2", "--remote", "/opt/scalediag");
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.err, "n6"));
	assert_non_null(strstr(r.err, "n3: n3: no route to host"));
	assert_non_null(strstr(r.err, "4 of 5 nodes are calibrated"));
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "check");
	e2e_expect_status(&r, 1);
	expect_out(&r, "n4: bandwidth ");
	e2e_result_free(&r);
	assert_int_equal(unlink(e2e_path(e, "log")), 0);
	e2e_write(e2e_path(e, "up"), "");
	e2e_run_hooked(e, &r, use_own_path, path, "fleet", "calibrate", "--slurm", "-p", "long",
		"--remote", "/opt/scalediag");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.err, "4 of 5 nodes were calibrated before"));
	assert_non_null(strstr(r.err, "5 of 5 nodes are calibrated"));
	e2e_result_free(&r);
	log = e2e_read(e2e_path(e, "log"), &n);
	assert_string_equal(log, "n3: /opt/scalediag calibrate --quick --format=json\n");
	free(log);
}

static void nodes_of_a_file_are_reached_by_ssh(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char path[600];

	make_site(e, path, sizeof path);
	e2e_write(e2e_path(e, "hosts"), "n1\nn2\nn5 # the new one\n");
	e2e_run_hooked(e, &r, use_own_path, path, "fleet", "calibrate", "--hosts", "hosts",
		"--engine", "ssh", "--db", "site.db");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "history", "--db", "site.db", "n5");
	e2e_expect_status(&r, 0);
	expect_out(&r, "n5: A CPU");
	expect_out(&r,
		"         GB/s         GB/s         GB/s           ns           ns        ratio\n");
	e2e_result_free(&r);
}

static void before_and_after_are_compared_and_handed_on(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	mkdir(e2e_path(e, "profiles"), 0700);
	mkdir(e2e_path(e, "new"), 0700);
	for (int i = 0; i < 6; i++) {
		char path[64];

		make_node(e, i, GOOD);
		snprintf(path, sizeof path, "new/n%d.json", i);
		make_profile(e, path, i, (struct fault){.9, 1, 1, "always"}, "6.12");
	}
	e2e_run(e, &r, "fleet", "compare", "profiles", "new");
	e2e_expect_status(&r, 1);
	expect_out(&r, "1 of ");
	expect_out(&r, "kernel: 6.1 before, 6.12 after, on 6 of 6 nodes");
	expect_out(&r, "-10.0 %");
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "compare", "profiles", "profiles");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "import", "new");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "compare", "profiles", "kernel=6.12");
	e2e_expect_status(&r, 1);
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "compare", "profiles", "kernel=7");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "kernel=7: has no calibration");
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "export");
	e2e_expect_status(&r, 0);
	e2e_write(e2e_path(e, "fleet.jsonl"), r.out);
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "import", "--db", "other.db", "fleet.jsonl");
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, "6 calibrations added");
	e2e_result_free(&r);
	/* a file that is damaged adds nothing of itself */
	e2e_write(e2e_path(e, "bad.jsonl"), "{\"kind\":\"scalediag-fleet-node\"}\n");
	e2e_run(e, &r, "fleet", "import", "--db", "other.db", "bad.jsonl");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "bad.jsonl:1");
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "report", "--db", "other.db");
	e2e_expect_status(&r, 0);
	expect_out(&r, "0 of 6 nodes out");
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)
		TEST(three_faults_of_64_nodes_are_named_and_none_besides),
		TEST(what_cannot_be_judged_is_said),
		TEST(a_calibration_of_slurms_nodes_goes_on_where_it_failed),
		TEST(nodes_of_a_file_are_reached_by_ssh),
		TEST(before_and_after_are_compared_and_handed_on),
	};

	return cmocka_run_group_tests_name("fleet", tests, NULL, NULL);
}
