/*
 * The parameters and exit statuses of all commands.
 */
#ifndef SD_CONTEXT_H
#define SD_CONTEXT_H

#include <argp.h>
#include <signal.h>
#include <stdio.h>

#include "base/sink.h"
#include "bench/kernel.h"
#include "bench/thief.h"
#include "probe/probe.h"
#include "terminal/progress.h"

/* Exit statuses, the same for every command. */
enum sd_exit {
	SD_EXIT_DONE = 0,          /* done what was asked */
	SD_EXIT_CHECK = 1,         /* a check was not met */
	SD_EXIT_USAGE = 2,         /* wrong command line */
	SD_EXIT_PROGRAM = 3,       /* the program could not be started, or failed */
	SD_EXIT_MEASURE = 4,       /* could not measure, read or write */
	SD_EXIT_INTERRUPTED = 130, /* stopped by a signal; main makes it 128 + that signal */
};

struct sd_command;

/* Everything that main passes to a command. */
struct sd_cli {
	const struct sd_sink *sink;
	struct sd_progress_line *line;        /* on stderr; the sink erases it before a message */
	const volatile sig_atomic_t *stop;    /* how often the user has asked to stop */
	const struct sd_probe *const *probes; /* NULL-terminated */
	const struct sd_probe *const *simulated_probes; /* for runs under the software PMU */
	const struct sd_kernel *const *kernels;         /* NULL-terminated */
	const struct sd_thief *const *thieves;          /* NULL-terminated */
	/* All commands, `run` first; a row without a name ends them. */
	const struct sd_command *commands;
};

/* An option that people use every day: its long name, and what it does in half a line. */
struct sd_daily_option {
	const char *name, *text;
};

struct sd_command {
	const char *name, *summary;
	const char *group; /* the heading of the list that it stands in; NULL: of the one before */
	/* It starts no program and changes nothing but its output file, so a stop request ends it
	 * at once. */
	int ends_at_once;
	/* argv[0] is the command's name. */
	enum sd_exit (*run)(const struct sd_cli *cli, int argc, char **argv);
	/*
	 * Its command line. doc: what it does, then examples, each line of them indented by two;
	 * what follows after '\v' stands below the options. The names of arguments and of options'
	 * values
	 * ("RECORD") say what may stand there (complete/value_words.h), "a|b" the words themselves.
	 */
	const struct argp *argp;
	/* Print what --help lists from tables, above and below the options; or NULL. */
	void (*above)(FILE *f, const struct sd_cli *cli);
	void (*below)(FILE *f, const struct sd_cli *cli);
	/* The options that --help lists, where all of them (--help=all) are no screen; a row
	 * without a name ends them. NULL: --help lists all. */
	const struct sd_daily_option *daily;
};

#endif
