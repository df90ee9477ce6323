#include "threads/busiest_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sd_thread describe(const struct sd_thread_state *t, int has_sched)
{
	struct sd_thread d = {.pid = t->pid, .tid = t->tid, .solo = SD_OK(t->view.solo)};

	memcpy(d.name, t->name, sizeof d.name);
	if (has_sched) {
		d.cpu = SD_OK((double)t->sched.run_ns * 1e-9 - t->base_run);
		d.run_delay = SD_OK((double)t->sched.delay_ns * 1e-9 - t->base_delay);
	} else {
		d.cpu = SD_OK((double)t->ticks / (double)sysconf(_SC_CLK_TCK) - t->base_run);
	}
	return d;
}

int sd_busiest_threads_add(
	struct sd_busiest_threads *list, const struct sd_thread_state *t, int has_sched)
{
	const struct sd_thread d = describe(t, has_sched);
	size_t least = 0;

	list->run_delay += d.run_delay.value;
	list->blkio += t->blkio - t->base_blkio;
	if (list->n < SD_RUN_THREADS) {
		if (list->n == list->room) {
			const size_t room = list->room ? 2 * list->room : 16;
			struct sd_thread *grown = realloc(list->thread, room * sizeof *grown);

			if (!grown)
				return -ENOMEM;
			list->thread = grown;
			list->room = room;
		}
		list->thread[list->n++] = d;
		return 0;
	}
	for (size_t i = 1; i < list->n; i++)
		if (list->thread[i].cpu.value < list->thread[least].cpu.value)
			least = i;
	if (list->thread[least].cpu.value < d.cpu.value)
		list->thread[least] = d;
	return 0;
}

void sd_busiest_threads_free(struct sd_busiest_threads *list)
{
	free(list->thread);
	*list = (struct sd_busiest_threads){0};
}
