/*
 * Every command that README.md, a page of the manual or a --help shows is run, as it is written
 * there. So that it ends in seconds, what measures gets less to do: a small program, and a budget;
 * a lesson is shown and not measured. What cannot be run in a test is listed with its reason.
 */
#include "e2e/e2e.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Commands in which this stands are not run. */
static const struct {
	const char *words, *why;
} not_run[] = {
	{"sudo ", "asks for root's password"},
	{"perf ", "is another program, which wants counters"},
	{"scalediag mpirun ", "wants an MPI"},
	{"scalediag java ", "wants a JVM and a program of its own"},
	{"scalediag python3 ", "wants a program of its own"},
	{"scalediag --region", "wants a program that marks it: e2e_regions has one"},
	{"scalediag --latency", "wants a program that marks its requests: e2e_regions has one"},
	{"scalediag attach", "wants a service that runs: e2e_attach starts one"},
	{"scalediag --points", "wants an MPI launcher: e2e_mpi, tests/cluster"},
	{"scalediag compare './", "wants two programs: e2e_compare makes them"},
	{"scalediag learn --check", "measures for a minute: e2e_learn grades a folder"},
	{"scalediag fleet", "wants calibrations of many nodes: e2e_fleet makes them"},
	{"scalediag calibrate", "takes minutes: e2e_calibrate runs its parts"},
	{"--from papi", "wants a program that PAPI counted"},
	{"$(git rev-parse", "wants a git repository of its own"},
	{"scalediag --resume", "needs a run that was interrupted: e2e_record makes one"},
};
#define NOT_RUN (sizeof not_run / sizeof *not_run)

/* Prepares what the commands find: a program, a benchmark, records, counts measured elsewhere. */
static const char prepare[] =
	"set -e; cd \"$1\"; scalediag=$2 program=$3\n"
	"mkdir bin given\n"
	"cat >bin/scalediag <<END\n"
	"#!/bin/bash\n"
	"case \\$1 in\n"
	"learn) [[ \" \\$*\" == *' --export'* || \\$# == 1 ]] || set -- \"\\$@\" --no-run "
	"--no-quiz ;;\n"
	"report|compare|check|events|doctor|lines|fix|import|history|help|--version|--help) ;;\n"
	"*) [ \"\\$1\" != run ] || shift; set -- --budget .3 --experiments none \"\\$@\" ;;\n"
	"esac\n"
	"exec $scalediag \"\\$@\"\n"
	"END\n"
	/* launchers that start one: what is shown is run, not MPI */
	"printf '#!/bin/sh\\nwhile [ \"${1#-}\" != \"$1\" ]; do shift 2; done; exec \"$@\"\\n' "
	">bin/mpirun; cp bin/mpirun bin/srun\n"
	"printf '#!/bin/sh\\ncat\\n' >bin/flamegraph.pl; cp bin/flamegraph.pl bin/pigz; chmod +x "
	"bin/*\n"
	"cd given\n"
	"printf '#!/bin/sh\\nexec %s 0.01\\n' \"$program\" >app\n"
	"printf '#!/bin/sh\\n%s 0.01; echo ops/s: 12.5\\n' \"$program\" >bench\n"
	"cp app solver; chmod +x app bench solver\n"
	"seq 20000 | shuf >words; cp words big.tar\n"
	"printf 'app,cores,seconds\\nHPCCG,1,10\\nHPCCG,2,6\\nHPCCG,4,4\\n' >table.csv\n"
	"for n in 1 8; do printf '80%s0000000,ns,duration_time,1,100.00,,\\n' $n >perf.$n.csv; "
	"cp perf.$n.csv $n.csv; for i in 1 2 3; do printf 'app 10 1.0%s: 10000000 "
	"task-clock:u: \\n\\t117f work+0x26 (/tmp/app)\\n  app.c:4\\n\\n' $i; done >$n.txt; done\n"
	"printf '      Shared Cache Line Distribution Pareto\\n"
	"#   Num  LclHitm      Offset  Symbol   Source:Line\\n"
	"# .....  .......  ..........  .......  ...........\\n"
	"      0      252  0x55c8f080\\n"
	"          50.00%%         0x0  [.] one  fs.c:12\\n"
	"          50.00%%         0x8  [.] two  fs.c:20\\n' >c2c.txt\n"
	"for f in a b c; do printf '{\"counter-value\" : \"2000.0\", \"unit\" : \"msec\", "
	"\"event\" : "
	"\"task-clock\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00}\\n{\"counter-value\" : "
	"\"2000000000\", \"unit\" : \"ns\", \"event\" : \"duration_time\", \"event-runtime\" : 1, "
	"\"pcnt-running\" : 100.00}\\n' >$f.json; done\n"
	"for n in 1 8; do printf \" Performance counter stats for './app':\\n\\n"
	"     1,000,000      cycles:u\\n\\n       $n.000000000 seconds time elapsed\\n\" "
	">pasted-$n.txt\n"
	"printf 'TABLE,Group 1 Raw,MEM,1\\nEvent,Counter,Core 0\\n"
	"INSTR_RETIRED_ANY,FIXC0,1000\\nTABLE,Group 1 Metric,MEM,1\\nMetric,Core 0\\n"
	"Runtime (RDTSC) [s],%s.5\\n' $n >mem-$n.csv; done\n"
	"printf '{\"results\":[{\"command\":\"a\",\"times\":[2.0,2.1],\"parameters\":{\"threads\":\"1\"}},"
	"{\"command\":\"a\",\"times\":[1.0,1.1],\"parameters\":{\"threads\":\"2\"}}]}' >runs.json\n"
	"printf '{\"benchmarks\":[{\"name\":\"A/threads:1\",\"run_type\":\"iteration\",\"threads\":1,"
	"\"iterations\":9,\"real_time\":1.0,\"cpu_time\":1.0,\"time_unit\":\"ms\"}]}' >gb.json\n"
	"sim=; command -v qemu-x86_64 >/dev/null && sim='--events sim'\n"
	"$scalediag $sim --cores 1,2 --repeats 2 --experiments none --keep-samples "
	"-o app.scalediag.json $program 0.01 >out 2>err || { cat err >&2; exit 1; }\n"
	"for f in before after old new redis; do cp app.scalediag.json $f.json; done\n"
	"mkdir records; cp old.json new.json records\n";

#define COMMANDS 128

struct seen {
	struct e2e *e;
	char *command[COMMANDS]; /* owned: those that were run */
	int run, left_out;
	char failed[16384];
};

/* The records are simulated ones where that is possible. */
static int is_simulated(const char *command)
{
	return strstr(command, "--events sim") || strstr(command, "--events model") ||
	       strstr(command, "scalediag lines");
}

/* A judgement may be that a requirement is not met, or cannot be told. */
static int is_answer(const char *command, int status)
{
	return status == 0 || (strstr(command, "scalediag check") && (status == 1 || status == 4));
}

/* Many are shown in several places; once is enough. */
static int was_run(struct seen *s, const char *command)
{
	for (int i = 0; i < s->run; i++)
		if (strcmp(s->command[i], command) == 0)
			return 1;
	assert_true(s->run < COMMANDS);
	s->command[s->run++] = strdup(command);
	return 0;
}

static void try_command(struct seen *s, const char *where, const char *command)
{
	char script[8192];
	size_t size;
	int status;

	for (size_t i = 0; i < NOT_RUN; i++)
		if (strstr(command, not_run[i].words)) {
			s->left_out++;
			return;
		}
	if (was_run(s, command))
		return;
	if (is_simulated(command) && system("command -v qemu-x86_64 >/dev/null") != 0) {
		s->left_out++;
		return;
	}
	snprintf(script, sizeof script,
		"cd '%s' && cp -r given/. . && GITHUB_STEP_SUMMARY=summary PATH=\"$PWD/bin:$PATH\" "
		"timeout 60 bash -o "
		"pipefail -c \"$(cat <<'END'\n%s\nEND\n)\" >out 2>err </dev/null",
		s->e->folder, command);
	status = system(script);
	if (!is_answer(command, WIFEXITED(status) ? WEXITSTATUS(status) : 128)) {
		char *const said = e2e_read(e2e_path(s->e, "err"), &size);
		const size_t n = strlen(s->failed);

		snprintf(s->failed + n, sizeof s->failed - n, "%s: %s: status %d: %.200s\n", where,
			command, WEXITSTATUS(status), said ? said : "");
		free(said);
	}
}

/* The command of a line, behind a prompt, a list's dash, or the words of a build server's file. */
static const char *command_in(const char *line)
{
	static const char *const before[] = {"- run: ", "- ", "$ "};

	line += strspn(line, " \t");
	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		if (strncmp(line, before[i], strlen(before[i])) == 0)
			line += strlen(before[i]);
	return line;
}

static int begins_command(const char *text)
{
	return strncmp(text, "scalediag ", 10) == 0 || strncmp(text, "sudo scalediag ", 15) == 0 ||
	       strncmp(text, "perf stat ", 10) == 0;
}

/* A shell goes on with the next line: behind a backslash, which goes, and behind a pipe. */
static int goes_on(char *command)
{
	const size_t n = strlen(command);

	if (n && command[n - 1] == '\\')
		command[n - 1] = '\0';
	else if (!n || command[n - 1] != '|')
		return 0;
	return 1;
}

/* The commands of a text's literal lines: those between ``` or indented by two blanks or more. What
 * stands behind two blanks explains it; lines of options that follow belong to it. */
static void try_text(struct seen *s, const char *where, char *text)
{
	char command[2048] = "", *rest = NULL;
	int fenced = 0;

	for (char *line = strtok_r(text, "\n", &rest);; line = strtok_r(NULL, "\n", &rest)) {
		const char *const part = line ? command_in(line) : "";
		const char *const gap = strstr(part, "  ");
		const size_t n = gap ? (size_t)(gap - part) : strlen(part);

		if (line && (goes_on(command) || (*command && strncmp(part, "--", 2) == 0))) {
			snprintf(command + strlen(command), sizeof command - strlen(command),
				" %.*s", (int)n, part);
			continue;
		}
		if (*command)
			try_command(s, where, command);
		command[0] = '\0';
		if (!line)
			return;
		if (strncmp(line, "```", 3) == 0)
			fenced = !fenced;
		else if ((fenced || strncmp(line, "  ", 2) == 0) && begins_command(part) &&
			 !strstr(part, "·"))
			snprintf(command, sizeof command, "%.*s", (int)n, part);
	}
}

static int setup(void **state)
{
	int rc = e2e_setup(state);
	struct e2e *const e = *state;
	char command[16384];

	if (rc)
		return rc;
	e2e_write(e2e_path(e, "prepare"), prepare);
	snprintf(command, sizeof command, "bash '%s/prepare' '%s' '%s' '%s'", e->folder, e->folder,
		e->scalediag, e2e_program(e, "scales"));
	return system(command);
}

static void try_help(struct seen *s)
{
	static const char *const commands[] = {"run", "calibrate", "report", "compare", "check",
		"events", "doctor", "lines", "fix", "learn", "import", "history", "fleet", "attach",
		"rank-agent", "help"};

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		struct e2e_result r;

		e2e_run(s->e, &r, commands[i], "--help=all");
		try_text(s, commands[i], r.out);
		e2e_result_free(&r);
	}
}

static void try_pages(struct seen *s)
{
	glob_t pages;
	size_t size;

	assert_int_equal(glob("configs/manual/*.scd", 0, NULL, &pages), 0);
	for (size_t i = 0; i <= pages.gl_pathc; i++) {
		const char *const path = i < pages.gl_pathc ? pages.gl_pathv[i] : "README.md";
		char *const text = e2e_read(path, &size);

		assert_non_null(text);
		try_text(s, path, text);
		free(text);
	}
	globfree(&pages);
}

static void every_command_that_is_shown_is_run(void **state)
{
	static struct seen s;

	s = (struct seen){.e = *state};
	try_help(&s);
	try_pages(&s);
	for (int i = 0; i < s.run; i++)
		free(s.command[i]);
	printf("# %d commands run, %d left out\n", s.run, s.left_out);
	if (*s.failed)
		fail_msg("%s", s.failed);
	assert_true(s.run >= 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_command_that_is_shown_is_run, setup, e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
