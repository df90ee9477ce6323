#include <math.h>
#include <string.h>

#include "attribute/blame_state.h"

#define S(ns) ((double)(ns)*1e-9)

/* A woken thread that takes longer to run had its CPU taken away (METHODS 2.3.7). */
#define WAKING_NS UINT64_C(1000000)
#define MOST_HOPS 8 /* threads may wait for each other in a ring */

/* What a wait for a message counts as: what its sender is doing now (METHODS 2.3.6). */
static enum sd_wait message_of(const struct sd_blame *c, const struct sd_blame_thread *t)
{
	for (int hops = 0; t->answerer && hops < MOST_HOPS; hops++) {
		t = &c->thread[t->answerer - 1];
		if (!t->alive || t->view.on_cpu || t->view.queued)
			return SD_WAIT_PIPE;
		if (t->out_activity == SD_ACTIVITY_SLEEP)
			return SD_WAIT_NETWORK;
	}
	return t->out_activity == SD_ACTIVITY_SOCKET ? SD_WAIT_NETWORK : SD_WAIT_PIPE;
}

/*
 * A thread woken while a core is free needs some 10 us to run, and some 100 if a hypervisor has to
 * bring the CPU back. That belongs to what it waited for: nobody took its CPU.
 */
static int is_on_its_way(const struct sd_blame_thread *t, uint64_t time)
{
	return t->view.queued && t->woken && time - t->woken <= WAKING_NS;
}

/* Before the step that ends at `time` counts such threads as still waiting; 0: undoes it. */
static void as_waiting(struct sd_blame *c, uint64_t time)
{
	double ready = 0;

	for (size_t i = 0; i < c->views.n; i++)
		ready += c->living[i]->view.on_cpu || c->living[i]->view.queued;
	for (size_t i = 0; i < c->views.n; i++) {
		struct sd_blame_thread *const t = c->living[i];

		if (time)
			t->on_its_way = ready <= c->division.cores && is_on_its_way(t, time) != 0;
		if (time && t->on_its_way) {
			t->view.queued = 0;
			t->view.seen = t->waited;
		} else if (!time && t->woken && !t->view.queued) {
			t->view.queued = 1;
			t->view.seen = (struct sd_wait_seen){.wait = SD_WAIT_NONE};
		}
	}
}

void sd_blame_step(struct sd_blame *c, uint64_t time)
{
	double before[SD_IDLE_COUNT], running = 0, step;
	uint64_t stood;
	int rc;

	if (time <= c->now)
		return;
	stood = sd_gap_weights_clock(&c->standing, time);
	step = S(stood - c->stood);
	c->alive += (double)c->views.n * S(time - c->now);
	memcpy(before, c->division.idle, sizeof before);
	for (size_t i = 0; i < c->views.n; i++)
		running += c->living[i]->view.on_cpu;
	for (size_t i = 0; i < c->views.n && c->answers; i++) {
		struct sd_blame_thread *const t = c->living[i];

		if (t->answerer)
			t->view.seen.wait = message_of(c, t);
	}
	c->off += ((double)c->views.n - running) * step;
	c->views.before = c->stood;
	c->views.now = stood;
	as_waiting(c, time);
	rc = sd_idle_account_add(&c->division, &c->views);
	as_waiting(c, 0);
	c->failed = c->failed ? c->failed : rc;
	sd_blame_owe_idle(c, before, fmax(0, c->division.cores - running) * step, running, step);
	if (!c->timeline->together)
		sd_blame_owe_spinning(c, step);
	for (size_t i = 0; i < c->views.n; i++) {
		struct sd_blame_thread *const t = c->living[i];

		t->view.new_wait = 0;
		if (!t->view.on_cpu)
			continue;
		t->run += step;
		t->height += step / running;
		t->view.cpu += (double)(stood - c->stood);
	}
	c->ran += running > 0 ? step : 0;
	c->now = time;
	c->stood = stood;
}
