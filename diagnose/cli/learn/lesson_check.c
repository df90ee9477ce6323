#include "learn/lesson_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/comparison.h"
#include "base/regular_file.h"
#include "launch/command_words.h"
#include "learn/child_process.h"
#include "learn/lesson_attach.h"
#include "learn/lesson_counts.h"
#include "learn/lesson_folder.h"
#include "learn/lesson_size.h"
#include "learn/lesson_view.h"
#include "machine/topology.h"
#include "record/cause.h"
#include "record/record_file.h"
#include "run/diagnosis.h"

#define PRINTED_MOST ((size_t)4 << 20) /* bytes that are compared */
#define HANGS 60                       /* s: so long no program of a lesson takes */
#define SIMULATED_S 20
#define WORDS 16
#define COUNTS 3  /* of threads, 1 and up, at which results are compared */
#define SIZES 2   /* likewise: as the lesson says, and about twice */
#define MUCH 10   /* moves: fewer come with who takes a lock when, and differ from run to run */
#define LITTLE .5 /* of the instructions of both versions: part of the work is left out */

const char *const sd_grade_name[] = {"right", "wrong", "undecided"};

/* One program, measured and simulated. */
struct measured {
	struct sd_diagnosis d;
	struct sd_record simulated; /* zeroed: it was not */
};

struct sd_lesson_check {
	const struct sd_cli *cli;
	const struct sd_lesson *lesson;
	const struct sd_lesson_run_wish *wish;
	struct sd_lesson_folder room; /* of the lesson's own versions */
	struct measured own[SD_VERSIONS];
	char *args; /* owned; of measured runs */
	unsigned granted;
	struct {
		unsigned char *text; /* owned */
		size_t size;
		enum sd_exit status;
	} printed[SIZES][COUNTS];
};

/* ---- results --------------------------------------------------------------------------------- */

/* The arguments with which results are compared: few, and a last number that nobody foresees. */
static char *result_args(const struct sd_lesson *l, unsigned size, unsigned count)
{
	const char *const few = l->results ? l->results : l->simulate ? l->simulate : l->stand_in;
	char *const text = sd_lesson_size_with(few ? few : "", "{n}", count);
	char *const last = text ? strrchr(text, ' ') : NULL;
	char *const number = last ? last + 1 : text;
	char *out = NULL;

	if (size && number && *number &&
		asprintf(&out, "%.*s%lu", (int)(number - text), text,
			2 * strtoul(number, NULL, 10) + 1) < 0)
		out = NULL;
	if (!out)
		return text;
	free(text);
	return out;
}

/* Runs a program once. *text, which the caller frees, is what it printed. Its status. */
static enum sd_exit print_results(const struct sd_lesson_check *c,
	const struct sd_lesson_folder *room, int version, unsigned size, unsigned count,
	unsigned char **text, size_t *n)
{
	char *const program = sd_lesson_folder_path(room, version, "");
	char *const args = result_args(c->lesson, size, count);
	const int out = memfd_create("printed", MFD_CLOEXEC);
	char launcher[] = SD_LESSON_MPI_LAUNCHER, n_is[] = "-n", ranks[16], *argv[WORDS + 5];
	char **words = NULL;
	enum sd_exit status = SD_EXIT_MEASURE;
	size_t k = 0;

	snprintf(ranks, sizeof ranks, "%u", count);
	setenv("OMP_NUM_THREADS", ranks, 1);
	if (program && args && out >= 0 &&
		sd_command_words_split(args, "args", &words, c->cli->sink) == 0) {
		if (c->lesson->need == SD_LESSON_NEEDS_MPI) {
			argv[k++] = launcher;
			argv[k++] = n_is;
			argv[k++] = ranks;
		}
		argv[k++] = program;
		for (size_t i = 0; i < WORDS && words[i]; i++)
			argv[k++] = words[i];
		argv[k] = NULL;
		status = sd_child_process_limited(c->cli, argv[0], argv, room->folder, out, HANGS);
		*text = sd_regular_file_read(out, PRINTED_MOST, n);
	}
	unsetenv("OMP_NUM_THREADS");
	sd_command_words_free(words);
	if (out >= 0)
		close(out);
	free(args);
	free(program);
	return status;
}

/* MPI may not start more ranks than there are CPUs. */
static unsigned counts(const struct sd_lesson_check *c)
{
	return c->lesson->need == SD_LESSON_NEEDS_MPI && c->granted < COUNTS ? c->granted : COUNTS;
}

/* Does it print what broken.c does? 1; 0 with the reason. */
static int prints_same(const struct sd_lesson_check *c, const struct sd_lesson_folder *room,
	struct sd_lesson_grade *g)
{
	for (unsigned size = 0; size < SIZES; size++)
		for (unsigned i = 0; i < counts(c) && !*c->cli->stop; i++) {
			unsigned char *text = NULL;
			size_t n = 0;
			const enum sd_exit status =
				print_results(c, room, SD_BROKEN, size, i + 1, &text, &n);
			const int same = text && status == c->printed[size][i].status &&
					 n == c->printed[size][i].size &&
					 memcmp(text, c->printed[size][i].text, n) == 0;
			char *const args = result_args(c->lesson, size, i + 1);

			free(text);
			if (!same)
				snprintf(g->why, sizeof g->why,
					"it does not do what broken.c does, with %u at a time: %s %s",
					i + 1,
					status == c->printed[size][i].status
						? "it prints something else, of"
						: "it fails or hangs, of",
					args ? args : "");
			free(args);
			if (!same)
				return 0;
		}
	return 1;
}

static enum sd_exit measure(const struct sd_lesson_check *c, const struct sd_lesson_folder *room,
	int version, struct measured *out)
{
	const struct sd_lesson *const l = c->lesson;
	const char *const model = l->simulate ? l->simulate : l->stand_in;
	char *const record = sd_lesson_folder_path(room, version, ".json");
	char *const simulated = sd_lesson_folder_path(room, version, ".sim.json");
	enum sd_exit status =
		l->window ? sd_lesson_attach_measure(room, version, c->wish->cores, c->granted)
			  : sd_lesson_folder_measure(room, version, c->args ? c->args : l->args,
				    c->wish->cores, c->wish->budget ? c->wish->budget / 2 : 20);

	if (status == SD_EXIT_DONE &&
		(!record || sd_diagnosis_open(&out->d, c->cli, record, 0) != 0))
		status = SD_EXIT_MEASURE;
	if (status == SD_EXIT_DONE && model && simulated) {
		status = sd_lesson_folder_simulate(room, version, model, SIMULATED_S);
		/* without the model, times and diagnoses have to tell */
		if (status == SD_EXIT_DONE)
			(void)sd_record_read(simulated, &out->simulated, c->cli->sink);
		status = status == SD_EXIT_INTERRUPTED ? status : SD_EXIT_DONE;
	}
	free(record);
	free(simulated);
	return status;
}

static void measured_free(struct measured *m)
{
	sd_diagnosis_close(&m->d);
	sd_record_free(&m->simulated);
}

/* ---- the grade ------------------------------------------------------------------------------- */

static struct sd_value counted(const struct sd_lesson_check *c, const struct measured *m)
{
	const double n = c->lesson->faults   ? sd_lesson_counts_faults_of(&m->d.record)
			 : c->lesson->counts ? sd_lesson_counts_of(c->lesson->count, &m->simulated)
					     : NAN;

	return isnan(n) ? SD_NOT(ABSENT) : SD_OK(n);
}

/* Is what the lesson counts, else its cause, gone from theirs? 1, 0; -1: it is not known. */
static int is_gone(const struct sd_lesson_check *c, const struct sd_comparison *with,
	const struct sd_lesson_grade *g)
{
	const struct sd_value fixed = counted(c, &c->own[SD_FIXED]);
	const double times = c->lesson->faults ? c->lesson->fault_times : c->lesson->times;
	int gone = -1;

	/* counts of locks vary: it is whose of the lesson's own versions theirs is nearer to */
	if (sd_has(g->before) && sd_has(g->after) && sd_has(fixed) &&
		g->before.value > times * fixed.value)
		return g->after.value * g->after.value < g->before.value * fixed.value;
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const enum sd_fate fate = with->cause[i].fate;

		if (!sd_lesson_expects(c->lesson, with->cause[i].cause))
			continue;
		if (fate == SD_FATE_STAYED)
			return 0;
		if (fate == SD_FATE_WENT || fate == SD_FATE_SHRANK)
			gone = 1;
	}
	return gone;
}

/* A cause that came with theirs, and not with the lesson's own fix; its label, or NULL. */
static const char *new_cause(const struct sd_comparison *theirs, const struct sd_comparison *fixed)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (theirs->cause[i].fate == SD_FATE_CAME &&
			theirs->cause[i].after <= SD_VERDICT_LIKELY &&
			fixed->cause[i].fate != SD_FATE_CAME &&
			theirs->cause[i].cause != SD_CAUSE_NOISE)
			return sd_cause_info[theirs->cause[i].cause].label;
	return NULL;
}

static enum sd_change change_of(const struct sd_comparison *c)
{
	return c->n_point ? c->point[c->n_point - 1].time : SD_CHANGE_UNKNOWN;
}

static void grade(const struct sd_lesson_check *c, const struct measured *m,
	const struct sd_comparison *theirs, const struct sd_comparison *fixed,
	struct sd_lesson_grade *g)
{
	const double least = fmin(sd_lesson_counts_of(SD_LESSON_INSTRUCTIONS, &c->own[0].simulated),
		sd_lesson_counts_of(SD_LESSON_INSTRUCTIONS, &c->own[1].simulated));
	const char *const came = new_cause(theirs, fixed);
	const enum sd_change time = change_of(theirs);
	const int weak = c->lesson->count == SD_LESSON_MOVES && c->lesson->times < MUCH;
	int gone;

	g->before = counted(c, &c->own[SD_BROKEN]);
	g->after = counted(c, m);
	if (theirs->n_point)
		g->gain = theirs->point[theirs->n_point - 1].gain;
	gone = is_gone(c, theirs, g);
	g->grade = SD_GRADE_WRONG;
	if (sd_lesson_counts_of(SD_LESSON_INSTRUCTIONS, &m->simulated) < LITTLE * least)
		snprintf(g->why, sizeof g->why,
			"it does less than half of the instructions of either version: part of the "
			"work is left out");
	else if (!sd_lesson_counts_same_output(&c->own[SD_BROKEN].d.record, &m->d.record))
		snprintf(g->why, sizeof g->why, "it prints something else in measured runs");
	else if (gone == 0)
		snprintf(g->why, sizeof g->why, "the cause is still there");
	else if (time == SD_CHANGE_MORE && change_of(fixed) != SD_CHANGE_MORE)
		snprintf(g->why, sizeof g->why, "it is slower");
	else {
		g->grade = SD_GRADE_UNDECIDED;
		if (gone < 0)
			snprintf(g->why, sizeof g->why,
				"these runs do not tell whether the cause is gone");
		else if (came)
			snprintf(g->why, sizeof g->why, "another cause may have come: %s", came);
		else if (time != SD_CHANGE_LESS && (change_of(fixed) == SD_CHANGE_LESS || weak))
			snprintf(g->why, sizeof g->why,
				"the cause is gone, but that it is faster cannot be told");
		else {
			g->grade = SD_GRADE_RIGHT;
			snprintf(g->why, sizeof g->why, "the cause is gone, which %s",
				time == SD_CHANGE_LESS ? "makes it faster" : "brings no time here");
		}
	}
}

/* Measures the lesson's own versions, once. */
static enum sd_exit measure_own(struct sd_lesson_check *c)
{
	enum sd_exit status =
		c->args ? SD_EXIT_DONE : sd_lesson_size_find(&c->room, c->granted, &c->args);

	for (int v = 0; v < SD_VERSIONS && status == SD_EXIT_DONE && !c->own[v].d.record.n_run;
		v++) {
		sd_say(c->cli->sink, SD_LEVEL_NOTE, "the lesson's own %s.c",
			sd_lesson_folder_version[v]);
		status = measure(c, &c->room, v, &c->own[v]);
	}
	return status;
}

static enum sd_exit measure_and_grade(const struct sd_lesson_check *c,
	const struct sd_lesson_folder *room, struct sd_lesson_grade *g)
{
	const struct measured *const broken = &c->own[SD_BROKEN], *const fixed = &c->own[SD_FIXED];
	struct measured m = {0};
	struct sd_comparison theirs = {0}, with_fixed = {0};
	enum sd_exit status = measure(c, room, SD_BROKEN, &m);

	if (status == SD_EXIT_DONE &&
		(sd_compare(&broken->d.record, &broken->d.analysis, &m.d.record, &m.d.analysis,
			 &theirs) != 0 ||
			sd_compare(&broken->d.record, &broken->d.analysis, &fixed->d.record,
				&fixed->d.analysis, &with_fixed) != 0))
		snprintf(g->why, sizeof g->why, "its times cannot be compared");
	else if (status == SD_EXIT_DONE)
		grade(c, &m, &theirs, &with_fixed, g);
	else if (status != SD_EXIT_INTERRUPTED)
		snprintf(g->why, sizeof g->why, "it could not be measured");
	sd_comparison_free(&theirs);
	sd_comparison_free(&with_fixed);
	measured_free(&m);
	return status == SD_EXIT_INTERRUPTED ? status : SD_EXIT_DONE;
}

enum sd_exit sd_lesson_check_source(
	struct sd_lesson_check *c, const char *text, size_t size, struct sd_lesson_grade *g)
{
	struct sd_lesson_files files = *c->room.files;
	struct sd_lesson_folder room = {0};
	enum sd_exit status;

	*g = (struct sd_lesson_grade){.grade = SD_GRADE_UNDECIDED,
		.gain.status = SD_STATUS_ABSENT,
		.before = SD_NOT(ABSENT),
		.after = SD_NOT(ABSENT)};
	files.broken = text;
	files.broken_end = text + size;
	status = sd_lesson_folder_open(&room, c->cli, &files, c->lesson);
	if (status == SD_EXIT_DONE && sd_lesson_folder_compile(&room) != SD_EXIT_DONE) {
		g->grade = SD_GRADE_WRONG;
		snprintf(g->why, sizeof g->why, "it does not compile");
	} else if (status == SD_EXIT_DONE && !prints_same(c, &room, g)) {
		g->grade = SD_GRADE_WRONG;
	} else if (status == SD_EXIT_DONE) {
		status = measure_own(c);
		status = status == SD_EXIT_DONE ? measure_and_grade(c, &room, g) : status;
	}
	sd_lesson_folder_close(&room);
	return *c->cli->stop ? SD_EXIT_INTERRUPTED : status;
}

/* Compiles them, and keeps what broken.c prints. */
static enum sd_exit prepare(struct sd_lesson_check *c)
{
	enum sd_exit status = sd_lesson_folder_compile(&c->room);

	for (unsigned size = 0; size < SIZES; size++)
		for (unsigned i = 0; i < counts(c) && status == SD_EXIT_DONE; i++)
			c->printed[size][i].status = print_results(c, &c->room, SD_BROKEN, size,
				i + 1, &c->printed[size][i].text, &c->printed[size][i].size);
	for (unsigned i = 0; i < SIZES * COUNTS && status == SD_EXIT_DONE; i++)
		if (c->printed[i / COUNTS][i % COUNTS].status != SD_EXIT_DONE) {
			sd_say(c->cli->sink, SD_LEVEL_ERROR,
				"the lesson's own broken.c does not run here");
			status = *c->cli->stop ? SD_EXIT_INTERRUPTED : SD_EXIT_MEASURE;
		}
	return status;
}

enum sd_exit sd_lesson_check_open(struct sd_lesson_check **out, const struct sd_cli *cli,
	const struct sd_lesson_files *files, const struct sd_lesson *l,
	const struct sd_lesson_run_wish *wish)
{
	struct sd_lesson_check *const c = *out = calloc(1, sizeof *c);
	const struct sd_topology_source here = {0};
	struct sd_topology topology = {0};
	enum sd_exit status = SD_EXIT_MEASURE;

	if (!c) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
		return status;
	}
	*c = (struct sd_lesson_check){.cli = cli, .lesson = l, .wish = wish};
	if (sd_topology_load(&topology, &here, cli->sink) == 0) {
		c->granted = topology.granted;
		status = sd_lesson_folder_open(&c->room, cli, files, l);
	}
	sd_topology_free(&topology);
	return status == SD_EXIT_DONE ? prepare(c) : status;
}

void sd_lesson_check_close(struct sd_lesson_check *c)
{
	if (!c)
		return;
	for (int v = 0; v < SD_VERSIONS; v++)
		measured_free(&c->own[v]);
	for (unsigned i = 0; i < SIZES * COUNTS; i++)
		free(c->printed[i / COUNTS][i % COUNTS].text);
	free(c->args);
	sd_lesson_folder_close(&c->room);
	free(c);
}
