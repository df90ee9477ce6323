#include "trial/preloads.h"

#include <stdlib.h>
#include <string.h>

#include "witness/witness.h"

/* Base names of what is preloaded into every run; the kernel shows files by their own paths. */
#define PRELOADS 3
struct preloads {
	char *path[PRELOADS];
	const char *name[PRELOADS + 1];
};

static void preloads_find(const struct sd_measure *m, struct preloads *p)
{
	const char *const library[] = {m->mpi_library, m->omp_library, m->marker_library};
	size_t n = 0;

	*p = (struct preloads){0};
	for (size_t i = 0; i < PRELOADS; i++)
		if (library[i] && (p->path[i] = realpath(library[i], NULL)))
			p->name[n++] = strrchr(p->path[i], '/') + 1;
}

static void preloads_free(struct preloads *p)
{
	for (size_t i = 0; i < PRELOADS; i++)
		free(p->path[i]);
}

int sd_preloads_launch(const struct sd_measure *m, struct sd_launch *l, struct sd_run *run,
	const struct sd_sink *sink)
{
	struct preloads preloads;
	struct sd_witness w = {.ask = {.signs = SD_PROCESS_SIGN_LIBRARY}};
	char why[200];
	int rc;

	preloads_find(m, &preloads);
	w.ask.library = preloads.name;
	if (!l->look && preloads.name[0]) {
		l->look = sd_witness_look;
		l->look_ctx = &w;
	}
	rc = sd_launch(l, run, sink);
	if (!rc && l->look_ctx == &w &&
		sd_witness_judge(&w, run->metric[SD_METRIC_USER].value, why, sizeof why) ==
			SD_WITNESSED_NOT)
		run->flags |= SD_RUN_UNLOADED;
	sd_witness_free(&w);
	preloads_free(&preloads);
	return rc;
}
