#include "hotspots/constructs.h"

#include <string.h>

#include "accounting/parts_by_stack.h"

/* Share of the time in which any thread ran; a thread below it is a helper. */
#define WORKS .02

/* Names of OpenMP's runtimes, and names that compilers give to the code that these run. */
static const char *const openmp_module[] = {"libgomp", "libomp", "libiomp"};
static const char *const openmp_function[] = {
	"._omp_fn.", ".omp_outlined", "GOMP_", "gomp_", "__kmp"};

int sd_constructs_is_openmp(const char *module)
{
	for (size_t i = 0; i < sizeof openmp_module / sizeof *openmp_module; i++)
		if (strstr(module, openmp_module[i]))
			return 1;
	return 0;
}

static int is_openmp(const struct sd_stacks *s, const struct sd_frame *f)
{
	const char *const function = sd_stacks_text_at(s, f->function);

	if (sd_constructs_is_openmp(sd_stacks_text_at(s, f->module)))
		return 1;
	for (size_t i = 0; i < sizeof openmp_function / sizeof *openmp_function; i++)
		if (strstr(function, openmp_function[i]))
			return 1;
	return 0;
}

/* Those that worked in one run: several threads of a process, several processes. */
static void count(const struct sd_sampled *s, int *threads, int *processes)
{
	double sum = 0;

	/* of more threads than are listed each may have done next to nothing, and all of them much
	 */
	*threads |= s->n_bottle >= SD_SAMPLED_THREADS;
	for (size_t i = 0; i < s->n_bottle; i++)
		sum += s->bottle[i].height;
	for (size_t i = 0; i < s->n_bottle; i++)
		for (size_t k = 0; k < i; k++) {
			if (s->bottle[i].height < WORKS * sum || s->bottle[k].height < WORKS * sum)
				continue;
			*threads |= s->bottle[i].pid == s->bottle[k].pid;
			*processes |= s->bottle[i].pid != s->bottle[k].pid;
		}
}

struct sd_constructs sd_constructs_find(
	const struct sd_record *record, const struct sd_run_selection *choice)
{
	const struct sd_chosen *const last = &choice->point[choice->n_point - 1];
	const struct sd_stacks *const s = &record->stacks;
	int sampled = 0, bottles = 0, openmp = 0, threads = 0, processes = 0;

	for (size_t j = 0; j < last->n_run; j++) {
		if (!sd_parts_by_stack_sampled(last->run[j]))
			continue;
		sampled = 1;
		bottles |= last->run[j]->sampled.n_bottle > 0;
		count(&last->run[j]->sampled, &threads, &processes);
	}
	for (size_t i = 0; i < s->n_frame && !openmp; i++)
		openmp = is_openmp(s, &s->frame[i]);
	return (struct sd_constructs){
		.openmp = sampled && s->n_frame ? SD_OK(openmp) : SD_NOT(ABSENT),
		.threads = bottles ? SD_OK(threads) : SD_NOT(ABSENT),
		.processes = bottles ? SD_OK(processes) : SD_NOT(ABSENT),
	};
}
