#include "resolve/sample_code.h"

#include "instruction/insn_decode.h"
#include "resolve/spin_loop.h"

static struct sd_sample_code_at code_at(struct sd_symbols *s, int pid, uint64_t ip)
{
	static const enum sd_activity of[] = {
		[SD_SPIN_LOOP_NONE] = SD_ACTIVITY_USEFUL,
		[SD_SPIN_LOOP_WAITS] = SD_ACTIVITY_SPIN_OTHER,
		[SD_SPIN_LOOP_TAKES] = SD_ACTIVITY_SPIN_LOCK,
	};
	const enum sd_insn_decode_machine here = sd_insn_decode_here();
	unsigned char code[SD_SPIN_LOOP_WINDOW];
	size_t before = ip < SD_SPIN_LOOP_BYTES ? 0 : SD_SPIN_LOOP_BYTES;
	size_t n = sd_symbols_code(s, pid, ip - before, code, sizeof code);

	if (n <= before) { /* it stands at the beginning of what there is */
		before = 0;
		n = sd_symbols_code(s, pid, ip, code, sizeof code);
	}
	return (struct sd_sample_code_at){.ip = ip,
		.pid = pid,
		.activity = of[sd_spin_loop(here, code, n, before)],
		.atomic = sd_insn_decode_is_atomic(here, code, n, before)};
}

/* A loop that only another thread can end is always a wait, however short: one sample suffices. */
void sd_sample_code_look(struct sd_sample_code *c, struct sd_symbols *symbols,
	const struct sd_event *e, struct sd_moment *m)
{
	struct sd_sample_code_at *known;

	if (e->kernel || m->activity != SD_ACTIVITY_USEFUL || !m->ip)
		return;
	known = &c->code[(m->ip ^ (uint64_t)e->pid << 5) % SD_SAMPLE_CODES];
	if (known->ip != m->ip || known->pid != e->pid)
		*known = code_at(symbols, e->pid, m->ip);
	m->activity = known->activity;
	/* of a loop that takes a lock too: one sample there may be the taking itself, which waits
	 * for the line and for nobody */
	m->atomic = known->atomic &&
		    (m->activity == SD_ACTIVITY_USEFUL || m->activity == SD_ACTIVITY_SPIN_LOCK);
}
