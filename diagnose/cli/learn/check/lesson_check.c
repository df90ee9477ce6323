#include "check/lesson_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/comparison.h"
#include "check/lesson_results.h"
#include "learn/lesson_attach.h"
#include "learn/lesson_folder.h"
#include "learn/lesson_size.h"
#include "machine/topology.h"
#include "record/record_file.h"
#include "run/diagnosis.h"

#define SIMULATED_S 20

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
	struct sd_lesson_results results;
	char *args; /* owned; of measured runs */
	unsigned granted;
};

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

static struct sd_lesson_measured view_of(const struct measured *m)
{
	return (struct sd_lesson_measured){&m->d.record, &m->simulated};
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
		sd_lesson_grade_make(c->lesson,
			(const struct sd_lesson_measured[]){view_of(broken), view_of(fixed)},
			&(const struct sd_lesson_measured){&m.d.record, &m.simulated}, &theirs,
			&with_fixed, g);
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
	} else if (status == SD_EXIT_DONE &&
		   !sd_lesson_results_same(&c->results, &room, g->why, sizeof g->why)) {
		g->grade = SD_GRADE_WRONG;
	} else if (status == SD_EXIT_DONE) {
		status = measure_own(c);
		status = status == SD_EXIT_DONE ? measure_and_grade(c, &room, g) : status;
	}
	sd_lesson_folder_close(&room);
	return *c->cli->stop ? SD_EXIT_INTERRUPTED : status;
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
	status = status == SD_EXIT_DONE ? sd_lesson_folder_compile(&c->room) : status;
	return status == SD_EXIT_DONE ? sd_lesson_results_make(&c->results, &c->room, c->granted)
				      : status;
}

void sd_lesson_check_close(struct sd_lesson_check *c)
{
	if (!c)
		return;
	for (int v = 0; v < SD_VERSIONS; v++)
		measured_free(&c->own[v]);
	sd_lesson_results_free(&c->results);
	free(c->args);
	sd_lesson_folder_close(&c->room);
	free(c);
}
