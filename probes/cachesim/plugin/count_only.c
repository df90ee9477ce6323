#include "plugin/count_only.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output_file.h"
#include "plugin/fatal_signals.h"
#include "plugin/interface.h"
#include "instruction/insn_decode.h"

#define VCPUS 8192 /* QEMU's numbers of threads alive at one time */

struct block {
	uint64_t start, last; /* addresses of its first and last instruction */
	uint64_t n;
	int repeats;
};

static struct vcpu {
	_Alignas(64) uint64_t n;
	const struct block *before;
} vcpus[VCPUS];

/* The same, where translated code counts by itself: no call. */
struct counter {
	uint64_t n, again; /* again: address of the string instruction that the block before ended
			      in and may go on with; 0: none */
};
static struct qemu_plugin_scoreboard *counters; /* NULL: by calls */
#define COUNTER(field) ((qemu_plugin_u64){counters, offsetof(struct counter, field)})

static const struct block none;
static const char *file_prefix;
static enum sd_insn_decode_machine machine;
static int beyond; /* threads that no number was left for, or memory ran out */

/* As long as the number is missing, the process is running, or was ended before it could say. */
static int put_number(FILE *f, const void *ended)
{
	uint64_t n = 0;

	for (size_t i = 0; i < VCPUS; i++)
		n += __atomic_load_n(&vcpus[i].n, __ATOMIC_RELAXED);
	if (counters)
		n += qemu_plugin_u64_sum(COUNTER(n));
	if (!*(const int *)ended)
		fputs("running\n", f);
	else if (beyond)
		fputs("lost\n", f);
	else
		fprintf(f, "ended %" PRIu64 "\n", n);
	return ferror(f) ? -EIO : 0;
}

static int put(int ended)
{
	char path[1100];

	snprintf(path, sizeof path, "%s.%d.total", file_prefix, (int)getpid());
	return sd_output_file_write(path, SD_OUTPUT_COUNTED, put_number, &ended, NULL);
}

static void execute(unsigned number, void *data)
{
	const struct block *const b = data;
	struct vcpu *const v = &vcpus[number < VCPUS ? number : 0];

	if (number >= VCPUS) {
		beyond = 1;
		return;
	}
	/* a string instruction that goes on is still the one that began */
	__atomic_store_n(&v->n, v->n + b->n - (v->before->repeats && b->start == v->before->last),
		__ATOMIC_RELAXED);
	v->before = b;
}

static int repeats(const struct qemu_plugin_insn *in)
{
	unsigned char copy[SIM_INTERFACE_BYTES];
	size_t bytes;
	const unsigned char *const code = sim_interface_code(in, copy, &bytes);

	return sd_insn_decode_at(machine, code, bytes).repeats;
}

/* It was counted when it began. */
static void go_on(unsigned number, void *data)
{
	(void)data;
	qemu_plugin_u64_add(COUNTER(n), number, UINT64_MAX);
}

static void translate_inline(uint64_t id, struct qemu_plugin_tb *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);
	const uint64_t start = qemu_plugin_tb_vaddr(tb);
	const struct qemu_plugin_insn *last;

	(void)id;
	if (!n)
		return;
	last = qemu_plugin_tb_get_insn(tb, n - 1);
	if (repeats(qemu_plugin_tb_get_insn(tb, 0)))
		qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, go_on, QEMU_PLUGIN_CB_NO_REGS,
			QEMU_PLUGIN_COND_EQ, COUNTER(again), start, NULL);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		tb, QEMU_PLUGIN_INLINE_ADD_U64, COUNTER(n), n);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_STORE_U64,
		COUNTER(again), repeats(last) ? qemu_plugin_insn_vaddr(last) : 0);
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);
	const struct qemu_plugin_insn *last;
	struct block *b;

	(void)id;
	if (!n)
		return;
	b = malloc(sizeof *b); /* as long as QEMU may run it: no end is known */
	if (!b) {
		beyond = 1;
		return;
	}
	last = qemu_plugin_tb_get_insn(tb, n - 1);
	*b = (struct block){.start = qemu_plugin_tb_vaddr(tb),
		.last = qemu_plugin_insn_vaddr(last),
		.n = n,
		.repeats = repeats(last)};
	qemu_plugin_register_vcpu_tb_exec_cb(tb, execute, QEMU_PLUGIN_CB_NO_REGS, b);
}

static void clear(void)
{
	for (size_t i = 0; i < VCPUS; i++)
		vcpus[i] = (struct vcpu){.before = &none};
	for (int i = 0; counters && i < qemu_plugin_num_vcpus(); i++) {
		qemu_plugin_u64_set(COUNTER(n), (unsigned)i, 0);
		qemu_plugin_u64_set(COUNTER(again), (unsigned)i, 0);
	}
}

/* Without its file a child would not be missed. */
static void in_child(void)
{
	clear();
	if (put(0))
		_exit(1);
}

static void end(uint64_t id, void *data)
{
	(void)id, (void)data;
	if (put(1))
		fputs("scalediag: the count of instructions cannot be written\n", stderr);
}

/* Later QEMUs say before that it has ended. */
static void killed(int signal)
{
	(void)signal;
	put(0);
}

int sim_count_only_install(uint64_t id, const char *prefix, const char *target)
{
	int rc;

	file_prefix = prefix;
	machine = sd_insn_decode_of_qemu(target);
	clear();
	if (sim_interface_counts())
		counters = qemu_plugin_scoreboard_new(sizeof(struct counter));
	rc = put(0);
	if (rc)
		return rc;
	pthread_atfork(NULL, NULL, in_child);
	sim_fatal_signals_hear(killed);
	qemu_plugin_register_vcpu_tb_trans_cb(id, counters ? translate_inline : translate);
	qemu_plugin_register_atexit_cb(id, end, NULL);
	return 0;
}
