/*
 * scalediag: wires the probes, the kernels, the messages and the signals to the command asked for.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/out_of_memory.h"
#include "cli/command.h"
#include "cli/own_stack.h"
#include "complete/complete.h"
#include "help/command_help.h"
#include "run/leftovers.h"
#include "terminal/terminal_style.h"

_Static_assert(
	SD_OUT_OF_MEMORY_STATUS == SD_EXIT_MEASURE, "one status for what could not be measured");

/* How often the user has asked to stop, and by which signal first. */
static volatile sig_atomic_t stop, stopped_by;

static void on_stop(int signal_number)
{
	if (!stop)
		stopped_by = signal_number;
	if (stop < 2)
		stop = stop + 1;
}

/* Exits at once; while a file is written aside the signal is held (output/output_file.h). */
static void on_stop_at_once(int signal_number)
{
	_exit(128 + signal_number);
}

static void on_failed_write(int signal_number)
{
	(void)signal_number;
}

/* SIGQUIT stays the way out at once: what has ended is in the record by then. */
static void catch_signals(int at_once)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction act = {.sa_handler = at_once ? on_stop_at_once : on_stop}, before;

	/* what was ignored stays so: nohup, or a shell's background job */
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(ends[i], &act, NULL);
	/* the write says EPIPE or EFBIG, which is enough; caught, not ignored, since the program
	 * must start with the default, and exec resets a handler but not an ignored signal */
	act.sa_handler = on_failed_write;
	act.sa_flags = SA_RESTART;
	sigaction(SIGPIPE, &act, NULL);
	sigaction(SIGXFSZ, &act, NULL);
}

static void emit(void *ctx, enum sd_level level, const char *text)
{
	static const char *const prefix[] = {
		[SD_LEVEL_ERROR] = "", [SD_LEVEL_WARNING] = "warning: ", [SD_LEVEL_NOTE] = ""};

	sd_progress_line_clear(ctx);
	fprintf(stderr, "scalediag: %s%s\n", prefix[level], text);
}

struct command_line {
	int argc;
	char **argv;
};

static int run(void *ctx)
{
	const struct command_line *const line_of = ctx;
	const int argc = line_of->argc;
	char **const argv = line_of->argv;
	struct sd_progress_line line;
	const struct sd_sink sink = {.emit = emit, .ctx = &line};
	const struct sd_cli cli = {.sink = &sink,
		.line = &line,
		.stop = &stop,
		.probes = sd_probe_registry,
		.simulated_probes = sd_probe_simulated_registry,
		.kernels = sd_kernel_registry,
		.thieves = sd_thief_registry,
		.commands = sd_commands};
	const char *const first = argc > 1 ? argv[1] : "";
	const struct sd_command *command = sd_command_find(first);
	static char name[] = "scalediag";
	enum sd_exit status;

	setlocale(LC_CTYPE, "");
	catch_signals(command && command->ends_at_once);
	sd_progress_line_open(&line, STDERR_FILENO, sd_terminal_style_ascii());
	if (strcmp(first, "--complete") == 0)
		return (int)sd_complete(&cli, argc - 2, argv + 2);
	if (strcmp(first, "--manual-page") == 0)
		return (int)sd_command_help_manual(&cli, argc > 2 ? argv[2] : "");
	if (argc > 0)
		argv[0] = name; /* messages of the option parser begin like ours */
	if (command) {
		/* run does so itself, where it measures */
		sd_leftovers_clean(&sink);
		argv[1] = name;
		status = command->run(&cli, argc - 1, argv + 1);
	} else if (sd_command_mistyped(first, &sink)) {
		status = SD_EXIT_USAGE;
	} else {
		status = sd_commands[0].run(&cli, argc, argv);
	}
	sd_progress_line_clear(&line);
	/* as a shell has it of a program that the signal ended: 130 of Ctrl-C, 143 of SIGTERM */
	return status == SD_EXIT_INTERRUPTED && stopped_by ? 128 + (int)stopped_by : (int)status;
}

int main(int argc, char **argv)
{
	struct command_line line = {argc, argv};

	return sd_own_stack_call(run, &line);
}
