/*
 * The commands: what each is given, what it returns, and the one table of them.
 */
#ifndef SD_COMMAND_H
#define SD_COMMAND_H

#include <signal.h>
#include <stddef.h>

#include "bench/kernel.h"
#include "probe/probe.h"
#include "terminal/progress.h"
#include "base/sink.h"
#include "bench/thief.h"

/* Exit statuses, the same for every command. */
enum sd_exit {
	SD_EXIT_DONE = 0,          /* diagnosed, or what else was asked */
	SD_EXIT_CHECK = 1,         /* a check was not met */
	SD_EXIT_USAGE = 2,         /* the command line */
	SD_EXIT_PROGRAM = 3,       /* the program could not be started, or failed */
	SD_EXIT_MEASURE = 4,       /* could not measure, read or write */
	SD_EXIT_INTERRUPTED = 130, /* stopped by a signal */
};

/* What main hands to a command. */
struct sd_cli {
	const struct sd_sink *sink;
	struct sd_progress_line *line;        /* on stderr; the sink erases it before a message */
	const volatile sig_atomic_t *stop;    /* how often the user has asked to stop */
	const struct sd_probe *const *probes; /* NULL-terminated */
	const struct sd_probe *const *simulated_probes; /* of runs under the software PMU */
	const struct sd_kernel *const *kernels;         /* NULL-terminated */
	const struct sd_thief *const *thieves;          /* NULL-terminated */
};

struct sd_command {
	const char *name, *summary;
	/* It starts no program and changes nothing but the file that it writes: a wish to stop ends
	 * it where it stands. */
	int ends_at_once;
	/* argv[0] is the command's name. */
	enum sd_exit (*run)(const struct sd_cli *cli, int argc, char **argv);
};

extern const struct sd_command sd_commands[];
extern const size_t sd_command_count;

/* The command of that name, or NULL. */
const struct sd_command *sd_command_find(const char *name);

enum sd_exit sd_cmd_run(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_calibrate(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_report(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_events(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_doctor(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_compare(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_check(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_lines(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_learn(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_import(const struct sd_cli *cli, int argc, char **argv);

#endif
