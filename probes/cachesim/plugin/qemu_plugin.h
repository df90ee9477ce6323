/*
 * The part of QEMU's plugin interface, version 1, that this plugin uses, declared from its
 * documentation: Debian ships QEMU without the header. QEMU 7.2 in user mode.
 */
#ifndef SIM_QEMU_PLUGIN_H
#define SIM_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION 1

struct qemu_plugin_tb;   /* a block under translation; valid during that callback */
struct qemu_plugin_insn; /* an instruction of it, the same */

/* What QEMU tells at installation. */
struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

QEMU_PLUGIN_EXPORT extern int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(
	uint64_t id, const struct qemu_info *info, int argc, char **argv);

void qemu_plugin_register_vcpu_exit_cb(uint64_t id, void (*cb)(uint64_t id, unsigned vcpu));
void qemu_plugin_register_vcpu_tb_trans_cb(
	uint64_t id, void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id,
	void (*cb)(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
		uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8));
void qemu_plugin_register_vcpu_syscall_ret_cb(
	uint64_t id, void (*cb)(uint64_t id, unsigned vcpu, int64_t number, int64_t ret));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*cb)(uint64_t id, void *data), void *data);

/* Callbacks of a block and of an instruction's accesses, called wherever they execute. */
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
	void (*cb)(unsigned vcpu, void *data), enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
	void (*cb)(unsigned vcpu, uint32_t info, uint64_t address, void *data),
	enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn); /* where this process has it */
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *insn); /* NULL unknown */

unsigned qemu_plugin_mem_size_shift(uint32_t info); /* log2 of bytes */
bool qemu_plugin_mem_is_store(uint32_t info);
const char *qemu_plugin_path_to_binary(void); /* of the guest; the caller frees it */

#endif
