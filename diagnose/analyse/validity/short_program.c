#include "validity/short_program.h"

#include <string.h>

#include "metrics/os_metrics.h"
#include "runs/sampled_uses.h"

/* s: of 50 samples a thread, at 1000 a second, a part that matters has two or three; exec, loading
 * and linking take 1 to 10 ms, an interpreter's start 10 to 50. */
#define LEAST_S .05

/* Functions of the kernel in exec, and names of the loader: both come before the program's code.
 * musl's loader is its C library, below which every stack of a program is: its functions tell. */
static const char *const kernel[] = {
	"load_elf_binary", "begin_new_exec", "bprm_execve", "_sys_execve", "setup_arg_pages"};
static const char *const loader[] = {"/ld-linux", "/ld64.so", "/ld.so", "/ld-2."};
static const char *const musl_loader[] = {"__dls2", "__dls3", "_dlstart"};

static int has_any(const char *in, const char *const *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(in, part[i]))
			return 1;
	return 0;
}

#define HAS_ANY(in, part) has_any(in, part, sizeof(part) / sizeof *(part))

/* Is any frame of the stack one of a program's start? */
static int starts(const struct sd_stacks *s, unsigned node)
{
	for (; node > 0 && node < s->n_node;
		node = s->node[node].parent < node ? s->node[node].parent : 0) {
		const struct sd_frame *const f =
			s->node[node].frame < s->n_frame ? &s->frame[s->node[node].frame] : NULL;

		if (f && (f->kernel ? HAS_ANY(sd_stacks_text_at(s, f->function), kernel)
				    : HAS_ANY(sd_stacks_text_at(s, f->module), loader) ||
						 HAS_ANY(sd_stacks_text_at(s, f->function),
							 musl_loader)))
			return 1;
	}
	return 0;
}

/* Was more than half of what the runs were seen doing, at least a sample of each, their start, and
 * half of the time they took? What sleeps is seen seldom, and is no start. */
static int is_mostly_start(const struct sd_stacks *s, const struct sd_chosen *p, double wall)
{
	struct sd_sampled_uses uses = {.p = p};
	double start = 0, all = 0, samples = 0;

	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		if (!u->node || sd_activity_info[u->activity].group == SD_GROUP_WAITING)
			continue;
		samples += u->count;
		all += u->seconds;
		start += starts(s, u->node) ? u->seconds : 0;
	}
	return samples >= (double)p->n_run && start > all / 2 &&
	       start > (double)p->n_run * wall / 2;
}

/* Was it started as a whole, here, and timed as a whole? */
static int has_start(const struct sd_record *r, const struct sd_chosen *p)
{
	return !r->program.attached && !r->program.region && !r->program.rate &&
	       !sd_run_selection_modelled(r) && !p->run[0]->mpi &&
	       sd_has(sd_os_metrics_median(p, SD_METRIC_POLL_PERIOD));
}

/* s: how much longer than the reference the slowest count takes; a start takes no more than the
 * reference does, so that what is beyond is none. */
static double growth(const struct sd_run_selection *choice, double reference)
{
	double most = 0;

	for (size_t i = 1; i < choice->n_point; i++) {
		const struct sd_value wall =
			sd_os_metrics_median(&choice->point[i], SD_METRIC_WALL);

		if (sd_has(wall) && wall.value - reference > most)
			most = wall.value - reference;
	}
	return most;
}

void sd_short_program_find(
	const struct sd_record *r, const struct sd_run_selection *choice, struct sd_analysis *a)
{
	const struct sd_chosen *const ref = &choice->point[0];
	const struct sd_value wall = sd_os_metrics_median(ref, SD_METRIC_WALL);

	if (!has_start(r, ref) || !sd_has(wall))
		return;
	a->is_start = is_mostly_start(&r->stacks, ref, wall.value);
	if (!a->is_start && (wall.value >= LEAST_S || growth(choice, wall.value) >= LEAST_S))
		return;
	a->too_short = wall;
	a->no_verdict =
		"it takes too short a time to tell a loss from its start: with more work runs "
		"would decide";
}
