#include "threads/busiest_threads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/one_more.h"
#include "proc/textfile.h"

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
		return SD_APPEND(list->thread, list->n, &d);
	}
	for (size_t i = 1; i < list->n; i++)
		if (list->thread[i].cpu.value < list->thread[least].cpu.value)
			least = i;
	if (list->thread[least].cpu.value < d.cpu.value)
		list->thread[least] = d;
	return 0;
}

static int by_cpu(const void *a, const void *b)
{
	const struct sd_thread *const x = a, *const y = b;

	return x->cpu.value < y->cpu.value ? 1 : x->cpu.value > y->cpu.value ? -1 : x->tid - y->tid;
}

void sd_busiest_threads_finish(struct sd_busiest_threads *list, const struct sd_pipe_stages *stages)
{
	if (list->n)
		qsort(list->thread, list->n, sizeof *list->thread, by_cpu);
	for (size_t i = 0; i < list->n; i++) {
		struct sd_thread *const t = &list->thread[i];

		sd_pipe_stages_place(stages, t->pid, &t->stage, &t->stages);
	}
}

struct sd_value sd_busiest_threads_blkio(const struct sd_busiest_threads *list, const char *root)
{
	char text[16];
	const int rc = sd_textfile_read(root, "/proc/sys/kernel/task_delayacct", text, sizeof text);

	if (rc ? list->blkio == 0 : strcmp(text, "1") != 0)
		return SD_NOT(UNSUPPORTED);
	return SD_OK((double)list->blkio / (double)sysconf(_SC_CLK_TCK));
}

void sd_busiest_threads_free(struct sd_busiest_threads *list)
{
	free(list->thread);
	*list = (struct sd_busiest_threads){0};
}
