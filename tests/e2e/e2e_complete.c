/*
 * Completion as shells do it: what the program offers is what it accepts, and bash, zsh and fish,
 * run themselves, make of it what a user sees.
 */
#include "e2e/e2e.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 64

static const char *const commands[] = {"run", "calibrate", "report", "compare", "check", "events",
	"doctor", "lines", "fix", "learn", "import", "history", "fleet", "attach", "rank-agent",
	"help", NULL};

/* Lists the words offered for the last one, cut from `out` without what they are; their number. */
static size_t offered(
	struct e2e *e, struct e2e_result *r, const char *const *args, const char *words[WORDS])
{
	size_t n = 0;

	e2e_run_args(e, r, NULL, NULL, args);
	e2e_expect_status(r, 0);
	for (char *line = strtok(r->out, "\n"); line; line = strtok(NULL, "\n")) {
		line[strcspn(line, "\t")] = '\0';
		assert_true(n < WORDS);
		words[n++] = line;
	}
	return n;
}

static int is_among(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, words[i]) == 0)
			return 1;
	return 0;
}

static void all_commands_are_offered(void **state)
{
	struct e2e *const e = *state;
	const char *words[WORDS];
	struct e2e_result r;
	const size_t n = offered(e, &r, (const char *const[]){"--complete", "", NULL}, words);

	for (size_t i = 0; commands[i]; i++)
		assert_true(is_among(commands[i], words, n));
	assert_true(is_among(":programs", words, n));
	e2e_result_free(&r);
}

static void all_that_a_fleet_can_be_asked_is_offered(void **state)
{
	static const char *const actions[] = {
		"calibrate", "report", "check", "compare", "history", "import", "export"};
	struct e2e *const e = *state;
	const char *words[WORDS];
	struct e2e_result r;
	const size_t n =
		offered(e, &r, (const char *const[]){"--complete", "fleet", "", NULL}, words);

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		assert_true(is_among(actions[i], words, n));
	e2e_result_free(&r);
}

/* On a terminal of 80 columns no line of a help breaks. */
static void every_help_is_at_most_79_columns_wide(void **state)
{
	static const char *const row[][3] = {{"--help"}, {"--help=all"}, {"help"},
		{"attach", "--help"}, {"calibrate", "--help"}, {"report", "--help"},
		{"compare", "--help"}, {"history", "--help"}, {"fleet", "--help"},
		{"check", "--help"}, {"events", "--help"}, {"doctor", "--help"},
		{"lines", "--help"}, {"fix", "--help"}, {"learn", "--help"}, {"import", "--help"},
		{"rank-agent", "--help"}, {"help", "--help"}};
	struct e2e *const e = *state;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct e2e_result r;
		size_t lines = 0, width = 0;

		e2e_run_args(e, &r, NULL, NULL, row[i]);
		e2e_expect_status(&r, 0);
		for (const char *c = r.out; *c; c++) {
			lines += *c == '\n';
			width = *c == '\n' ? 0 : width + (((unsigned char)*c & 0xc0) != 0x80);
			if (width > 79)
				fail_msg("%s: %.100s", row[i][0], c - 79);
		}
		assert_true(lines > 5);
		e2e_result_free(&r);
	}
}

/* Every option that --help of the command shows. */
static void check_options(struct e2e *e, const char *command)
{
	const char *words[WORDS];
	struct e2e_result r, help;
	const size_t n =
		offered(e, &r, (const char *const[]){"--complete", command, "--", NULL}, words);
	size_t shown = 0;

	e2e_run(e, &help, command, "--help=all");
	for (const char *line = help.out; line; line = strchr(line + 1, '\n')) {
		const char *p = line + (*line == '\n');
		char name[64];
		size_t k = 0;

		if (strncmp(p, "  -", 3) != 0 && strncmp(p, "      --", 8) != 0)
			continue;
		p = strstr(p, "--");
		assert_non_null(p);
		snprintf(name, sizeof name, "%.*s", (int)strcspn(p, "=[ \n"), p);
		while (k < n && strncmp(words[k], name, strlen(name)) != 0)
			k++;
		if (k == n)
			fail_msg("scalediag %s %s is not offered", command, name);
		shown++;
	}
	assert_int_equal(shown, n);
	e2e_result_free(&help);
	e2e_result_free(&r);
}

static void all_options_are_offered(void **state)
{
	for (size_t i = 0; commands[i]; i++)
		check_options(*state, commands[i]);
}

/* Each value that is offered for the option is one that the command takes. */
static int check_values(struct e2e *e, const char *command, const char *option)
{
	const char *words[WORDS];
	struct e2e_result r, taken;
	const size_t n =
		offered(e, &r, (const char *const[]){"--complete", command, option, NULL}, words);
	int checked = 0;

	for (size_t i = 0; i < n; i++) {
		/* a name that a number is to follow, and what is the shell's part */
		if (words[i][0] == ':' || words[i][strlen(words[i]) - 1] == '@')
			continue;
		e2e_run(e, &taken, command, words[i], "--help");
		if (taken.status != 0)
			fail_msg("scalediag %s '%s' is offered and refused: %s", command, words[i],
				taken.err);
		e2e_result_free(&taken);
		checked++;
	}
	e2e_result_free(&r);
	return checked;
}

static void what_is_offered_for_an_option_is_accepted(void **state)
{
	static const struct {
		const char *command, *option;
		int least;
	} row[] = {
		{"run", "--place=", 3},
		{"run", "--events=", 4},
		{"run", "--samples=", 2},
		{"run", "--experiments=", 19},
		{"run", "--experiments=replicas,", 16},
		{"report", "--format=", 8},
		{"check", "--format=", 3},
		{"check", "--undecided=", 3},
		{"check", "--require=", 21},
		{"compare", "--format=", 4},
		{"events", "--format=", 2},
		{"lines", "--format=", 2},
		{"doctor", "--format=", 2},
		{"import", "--from=", 2},
		{"calibrate", "--format=", 3},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_true(check_values(*state, row[i].command, row[i].option) >= row[i].least);
}

static void machines_roles_and_cpus_are_those_there_are(void **state)
{
	struct e2e *const e = *state;
	const char *words[WORDS];
	struct e2e_result r, taken;
	size_t n = offered(e, &r,
		(const char *const[]){"--complete", "--events=sim", "--machine=", NULL}, words);

	assert_true(is_among("--machine=host", words, n) && is_among(":files", words, n));
	for (size_t i = 0; i < n; i++) {
		if (words[i][0] == ':')
			continue;
		e2e_run(e, &taken, "--dry-run", "--events=sim", words[i], "true");
		assert_null(strstr(taken.err, "no such machine"));
		e2e_result_free(&taken);
	}
	e2e_result_free(&r);
	n = offered(e, &r, (const char *const[]){"--complete", "events", "--cpu=zen", NULL}, words);
	assert_true(n >= 2);
	e2e_run(e, &taken, "events", words[0]);
	e2e_expect_status(&taken, 0);
	e2e_result_free(&taken);
	e2e_result_free(&r);
}

/* ---- the shells themselves ------------------------------------------------------------------ */

/* Reads what the terminal shows until `wanted` is in it; 1, or 0 after ten seconds. */
static int read_until(int fd, const char *wanted, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	while (!strstr(out, wanted)) {
		ssize_t got;

		if (n + 1 >= size ||
			poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 10000) <= 0)
			return 0;
		got = read(fd, out + n, size - n - 1);
		if (got <= 0)
			return 0;
		n += (size_t)got;
		out[n] = '\0';
	}
	return 1;
}

struct shell {
	const char *argv[6];
	const char *setup; /* its first line: loads the script in $SCRIPT */
	const char *script;
};

static void start_shell(const struct e2e *e, const struct shell *s)
{
	char script[4352], path[8192], here[4096];

	assert_non_null(getcwd(here, sizeof here));
	snprintf(script, sizeof script, "%s/configs/completion%s%s", here, *s->script ? "/" : "",
		s->script);
	snprintf(path, sizeof path, "%s:%s", e->folder, getenv("PATH"));
	if (chdir(e->folder) < 0 || setenv("SCRIPT", script, 1) || setenv("PATH", path, 1) ||
		setenv("TERM", "dumb", 1) || setenv("LC_ALL", "C.UTF-8", 1) ||
		setenv("HOME", e->folder, 1))
		_exit(125);
	execvp(s->argv[0], (char *const *)(uintptr_t)s->argv);
	_exit(127);
}

static void prepare(struct e2e *e)
{
	assert_int_equal(symlink(e->scalediag, e2e_path(e, "scalediag")), 0);
	e2e_write(e2e_path(e, "app.json"), "{}");
	e2e_write(e2e_path(e, "app.txt"), "");
	e2e_write(e2e_path(e, "my run.json"), "{}");
	assert_int_equal(mkdir(e2e_path(e, "runs"), 0777), 0);
}

static const struct typed {
	const char *typed, *becomes;
} common_rows[] = {
	{"scalediag calibr", "scalediag calibrate "},
	{"scalediag check --format=te", "scalediag check --format=text "},
	{"scalediag check --format te", "scalediag check --format text "},
	{"scalediag check --baseline=a", "scalediag check --baseline=app.json "},
	{"scalediag check --require 'no lock", "scalediag check --require 'no lock-contention' "},
	{"scalediag report m", "scalediag report my\\ run.json "},
	{"scalediag report r", "scalediag report runs/"},
	{"scalediag help lim", "scalediag help limits "},
	{"scalediag --experiments=replicas,padd", "scalediag --experiments=replicas,padding "},
	{"scalediag --machine=gra", "scalediag --machine=graviton3 "},
	{"scalediag --cores 1 cat app.t", "scalediag --cores 1 cat app.txt "},
};

/* A terminal with the shell in it; each row is typed on a line that is cleared before. */
static void check_rows(struct e2e *e, const struct shell *s)
{
	static char seen[65536];
	int fd = -1;
	pid_t pid;

	prepare(e);
	pid = forkpty(&fd, NULL, NULL, &(struct winsize){.ws_row = 24, .ws_col = 200});
	assert_true(pid >= 0);
	if (pid == 0)
		start_shell(e, s);
	/* its echo has the two words apart */
	dprintf(fd, "%s; echo set''up\n", s->setup);
	if (!read_until(fd, "setup\r\n", seen, sizeof seen))
		fail_msg("%s does not start:\n%s", s->argv[0], seen);
	for (size_t i = 0; i < sizeof common_rows / sizeof *common_rows; i++) {
		const struct typed *const row = &common_rows[i];

		dprintf(fd, "\x15%s\t", row->typed);
		if (!read_until(fd, row->becomes, seen, sizeof seen))
			fail_msg("%s: %s<tab> becomes\n%s", s->argv[0], row->typed, seen);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

static void bash_completes_what_is_typed(void **state)
{
	check_rows(
		*state, &(const struct shell){.argv = {"bash", "--norc", "--noprofile", "-i", NULL},
				.setup = "PS1='> '; source \"$SCRIPT\"",
				.script = "scalediag.bash"});
}

static int is_there(const char *program)
{
	char command[64];

	snprintf(command, sizeof command, "command -v %s >/dev/null", program);
	return system(command) == 0;
}

static void zsh_completes_what_is_typed(void **state)
{
	if (!is_there("zsh"))
		e2e_skip(__func__, "no zsh");
	check_rows(*state,
		&(const struct shell){.argv = {"zsh", "-f", "-i", NULL},
			.setup = "PS1='> '; fpath=(\"$SCRIPT\" $fpath); autoload -U compinit; "
				 "compinit -u -D",
			.script = ""});
}

static void fish_completes_what_is_typed(void **state)
{
	static const struct typed row[] = {
		{"scalediag che", "check\t"},
		{"scalediag check --format=te", "--format=text"},
		{"scalediag learn false-sharing-", "false-sharing-sort\t"},
		{"scalediag report app.j", "app.json"},
		{"scalediag --machine=gra", "--machine=graviton3"},
	};
	struct e2e *const e = *state;

	if (!is_there("fish"))
		e2e_skip(__func__, "no fish");
	prepare(e);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char command[2048], seen[4096] = "";
		FILE *f;

		snprintf(command, sizeof command,
			"here=$PWD; cd %s && PATH=%s:$PATH HOME=%s fish --no-config -c \"source "
			"$here/configs/completion/scalediag.fish; complete -C '%s'\"",
			e->folder, e->folder, e->folder, row[i].typed);
		f = popen(command, "r");
		assert_non_null(f);
		seen[fread(seen, 1, sizeof seen - 1, f)] = '\0';
		pclose(f);
		if (!strstr(seen, row[i].becomes))
			fail_msg("fish: %s becomes\n%s", row[i].typed, seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(all_commands_are_offered),
		E2E_TEST(every_help_is_at_most_79_columns_wide),
		E2E_TEST(all_that_a_fleet_can_be_asked_is_offered),
		E2E_TEST(all_options_are_offered),
		E2E_TEST(what_is_offered_for_an_option_is_accepted),
		E2E_TEST(machines_roles_and_cpus_are_those_there_are),
		E2E_TEST(bash_completes_what_is_typed),
		E2E_TEST(zsh_completes_what_is_typed),
		E2E_TEST(fish_completes_what_is_typed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
