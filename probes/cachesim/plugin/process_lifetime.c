#include "plugin/process.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "plugin/region.h"
#include "plugin/vcpus.h"

#define FIRST_SAVE_MS 200 /* then at longer and longer intervals, up to the last */
#define LAST_SAVE_MS 2000

static struct sim_process *const S = &sim_process;

/* Why the results are not of the whole program; NULL: they are. */
static const char *missing(const char *interrupted, char *buf, size_t n)
{
	const struct sim_run *const r = &S->run;
	int lost = r->machine.lost;

	for (size_t i = 0; i < r->n_thread; i++)
		lost |= r->thread[i]->lost | r->thread[i]->pages.lost;
	if (interrupted)
		snprintf(buf, n, "%s", interrupted);
	else if (S->execed)
		snprintf(buf, n, "it replaced itself by another program, which was not simulated");
	else if (lost)
		snprintf(buf, n, "memory ran out");
	else if (r->unsimulated || S->beyond || r->n_seen > r->n_thread)
		snprintf(buf, n, "more than %d threads lived at one time: %zu were not simulated",
			SIM_SLOTS, (size_t)(r->unsimulated + S->beyond + r->n_seen - r->n_thread));
	else if (!sim_region_whole())
		snprintf(buf, n, "%s",
			S->on_ms ? "only the part that was asked for"
				 : "the part that was asked for never came");
	else
		return NULL;
	return buf;
}

void sim_process_save(const char *interrupted)
{
	const uint64_t now = sim_process_ms();
	char why[160];
	int rc;

	S->output.partial = missing(interrupted, why, sizeof why);
	S->output.parts =
		S->parts.state != SIM_SAMPLED_BEGINNING || S->parts.parts ? &S->parts : NULL;
	S->output.from_s = sim_region_whole() ? 0 : (double)S->on_ms / 1e3;
	S->output.for_s =
		sim_region_whole() || !S->on_ms
			? 0
			: (double)((S->off_ms ? S->off_ms : now - S->begun_ms) - S->on_ms) / 1e3;
	rc = sim_output_write(&S->run, &S->output);
	if (rc)
		sim_process_complain("its results cannot be written", rc);
	S->saved_ms = sim_process_ms();
}

/* After every window, under the lock. */
static void idle(struct sim_run *r, void *arg)
{
	const int done = S->done;

	(void)arg;
	sim_region_watch(r);
	if (S->done && !done)
		sim_process_save(NULL); /* nobody comes by again */
	if (S->done || sim_process_ms() - S->saved_ms < S->save_every_ms)
		return;
	sim_process_save(
		"the program was ended from outside, or crashed: what it did in its last moments is missing");
	if (S->save_every_ms < LAST_SAVE_MS)
		S->save_every_ms *= 2;
}

/* Resets what starts anew with each process. */
static void begin(void)
{
	sim_vcpu_none();
	S->run.idle = idle;
	S->output.pid = (int)getpid();
	S->output.parent = (int)getppid();
	S->begun_ms = S->saved_ms = sim_process_ms();
	S->save_every_ms = FIRST_SAVE_MS;
	S->on = sim_region_whole();
	S->switches = S->rests = 0;
	sim_sampled_parts_open(&S->parts);
	S->wanted = sim_region_mode();
}

int sim_process_open(const char *target)
{
	if (sim_run_open(&S->run, &S->options))
		return -ENOMEM;
	snprintf(S->name, sizeof S->name, "%.31s", target);
	S->output.target = S->name;
	S->blocks.target = sd_insn_decode_of_qemu(S->name);
	S->blocks.function = S->options.function;
	sim_rows_fill(S->row);
	begin();
	return 0;
}

int sim_process_restart(void)
{
	struct sim_run *const r = &S->run;
	struct sim_block **const block = r->block;
	const size_t n_block = r->n_block, room = r->block_room;

	r->block = NULL; /* the translated code goes on to point at them */
	r->n_block = 0;
	sim_run_close(r);
	if (sim_run_open(r, &S->options))
		return -ENOMEM;
	r->block = block;
	r->n_block = n_block;
	r->block_room = room;
	r->machine.lines.sites = S->hears ? &S->sites : NULL; /* the heap is the parent's */
	if (S->hears)
		r->machine.lines.base = S->output.guest_base;
	S->on_ms = S->off_ms = 0;
	S->done = S->execed = 0;
	begin();
	return 0;
}
