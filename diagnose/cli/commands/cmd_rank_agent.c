#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "help/command_help.h"
#include "launch/launch.h"
#include "options/command_line.h"
#include "parts/rank_environment.h"
#include "parts/rank_part.h"
#include "probe/accountant.h"

/* Looks, some 100 ms apart, after which the folder is looked for again: it may be on another
 * machine. */
#define LOOKS_A_LEASE 10

static error_t handle(int key, char *value, struct argp_state *state)
{
	const struct sd_command_line *const l = state->input;

	if (key != ARGP_KEY_ARG)
		return sd_command_line_take(key, value, state);
	*(char ***)l->into = state->argv + state->next - 1; /* the program's */
	state->next = state->argc;
	return 0;
}

static const struct argp_option options[] = {{0}};
const struct argp sd_cmd_rank_agent_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "PROGRAM [ARG...]",
	.doc = "scalediag rank-agent measures one rank of an MPI program where it runs, and leaves what "
	       "it\nmeasured beside the record of the scalediag that started the launcher. Ranks of a shared "
	       "MPI\nlibrary get theirs by themselves, wherever they are outside of the launcher's process "
	       "tree: on other\nnodes, and below srun. Written out, it measures static programs too.\n"
	       "\n"
	       "  scalediag --points 1x1,4x1@2 srun -N {nodes} -n {ranks} \\\n"
	       "    scalediag rank-agent -- ./solver\n"
	       "\n"
	       "Without a scalediag around the launcher it starts the program, and measures nothing. It ends "
	       "as the\nprogram does.\n",
	.children = sd_command_line_common,
};

struct agent {
	const char *folder;
	unsigned looks;
	const volatile sig_atomic_t *asked; /* by a signal */
	volatile sig_atomic_t stop;
};

/* The folder goes when the scalediag that made it has ended its run: nobody waits for this rank. */
static void look(void *ctx, pid_t parent)
{
	struct agent *const a = ctx;

	(void)parent;
	if (++a->looks % LOOKS_A_LEASE == 0 && access(a->folder, F_OK) != 0 && errno == ENOENT)
		a->stop = 2;
}

static void obey(void *ctx, double seconds)
{
	struct agent *const a = ctx;

	(void)seconds;
	if (*a->asked > a->stop)
		a->stop = *a->asked;
}

static int own_cpus(struct sd_cpulist *cpus)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set))
		return -errno;
	for (unsigned i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set) && sd_cpulist_add(cpus, i))
			return -ENOMEM;
	return 0;
}

static unsigned cores_of(const struct sd_cpulist *cpus)
{
	const char *const text = getenv(SD_RANK_THREADS);
	uint64_t cores = 0;

	if (text && sd_number_u64(text, 1, SD_CPU_MAX, &cores) == 0)
		return (unsigned)cores;
	return cpus->n ? (unsigned)cpus->n : 1;
}

/* Ends as the program did, so that the launcher sees what it would have seen. */
static enum sd_exit end_as(const struct sd_run *run)
{
	if (run->end != SD_END_EXITED) {
		signal(run->code, SIG_DFL);
		raise(run->code);
	}
	return (enum sd_exit)run->code;
}

static enum sd_exit measure(const struct sd_cli *cli, struct agent *a, char **argv)
{
	const char *const samples = getenv(SD_RANK_SAMPLES);
	struct sd_cpulist cpus = {0};
	struct sd_stacks stacks = {0};
	struct sd_run run = {.kind = SD_RUN_BLOCK};
	enum sd_exit status = SD_EXIT_MEASURE;
	int rc = own_cpus(&cpus);
	const struct sd_launch l = {.argv = argv,
		.envp = environ,
		.cpus = &cpus,
		.cores = cores_of(&cpus),
		.in_place = 1,
		.probes = cli->probes,
		.accountant = &sd_accountant_rules,
		.stacks = &stacks,
		.no_samples = samples && strcmp(samples, "none") == 0,
		.os_only = 1,
		.stop = &a->stop,
		.progress = obey,
		.progress_ctx = a,
		.look = look,
		.look_ctx = a};

	if (!rc)
		rc = sd_launch(&l, &run, cli->sink);
	if (!rc) {
		const struct sd_run ended = {.end = run.end, .code = run.code};

		(void)sd_rank_part_write(a->folder, &cpus, l.cores, argv, &run, &stacks, cli->sink);
		status = end_as(&ended);
	} else if (rc == -EINTR) {
		status = SD_EXIT_INTERRUPTED;
	} else if (rc == -ENOEXEC) {
		status = SD_EXIT_PROGRAM;
	}
	sd_run_free(&run);
	sd_stacks_free(&stacks);
	sd_cpulist_free(&cpus);
	return status;
}

static enum sd_exit start(const struct sd_cli *cli, char **argv)
{
	struct agent a = {.folder = getenv(SD_RANK_FOLDER), .asked = cli->stop};

	/* its ranks are this one's: they get no agent of their own */
	unsetenv(SD_RANK_AGENT);
	if (a.folder && access(a.folder, W_OK) == 0)
		return measure(cli, &a, argv);
	if (a.folder)
		sd_say(cli->sink, SD_LEVEL_WARNING,
			"%s: this node has no such folder, so nothing is measured here: put the record (-o) on a "
			"file system that all nodes share",
			a.folder);
	execvp(argv[0], argv);
	sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", argv[0], strerror(errno));
	return SD_EXIT_PROGRAM;
}

enum sd_exit sd_cmd_rank_agent(const struct sd_cli *cli, int argc, char **argv)
{
	char **program = NULL;
	struct sd_command_line line = {.name = "rank-agent",
		.argp = &sd_cmd_rank_agent_argp,
		.into = &program,
		.sink = cli->sink};

	if (sd_command_line_parse(&line, ARGP_IN_ORDER, argc, argv) != 0)
		return SD_EXIT_USAGE;
	if (line.asked)
		return sd_command_help_answer(cli, "rank-agent", line.asked);
	if (!program) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "rank-agent: which program?");
		return SD_EXIT_USAGE;
	}
	return start(cli, program);
}
