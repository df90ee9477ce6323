/*
 * The part of QEMU's plugin interface that this plugin uses, declared from its documentation:
 * Debian ships QEMU without the header. QEMU 7.2 and later in user mode. Versions of the interface:
 * 1 up to QEMU 8.2, 2 in 9.0, 3 in 9.1, 4 in 9.2; from 9.0 on QEMU refuses a plugin of version 1,
 * and until then one of a later version. What a QEMU may lack is weak: NULL there.
 */
#ifndef SIM_QEMU_PLUGIN_H
#define SIM_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
#define QEMU_PLUGIN_WEAK __attribute__((weak))
#define QEMU_PLUGIN_OLDEST 1 /* QEMU 7.2 */
#define QEMU_PLUGIN_NEW 2    /* has memory of each vCPU */
#define QEMU_PLUGIN_COPIES 3 /* copies instructions to the plugin; calls on condition */
#define QEMU_PLUGIN_READS 4  /* reads the guest's memory */

struct qemu_plugin_tb;   /* a block under translation; valid during that callback */
struct qemu_plugin_insn; /* an instruction of it, the same */

/* Facts that QEMU passes at installation. */
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

/* Drops all callbacks and translations, once no thread runs translated code; cb registers anew. */
void qemu_plugin_reset(uint64_t id, void (*cb)(uint64_t id));

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
/* Until version QEMU_PLUGIN_COPIES it takes the first argument only, and returns a pointer to the
 * bytes; from then on it copies up to n of them, and returns how many (interface.h). */
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t n);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn); /* where this process has it */
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *insn); /* NULL unknown */

unsigned qemu_plugin_mem_size_shift(uint32_t info); /* log2 of bytes */
bool qemu_plugin_mem_is_store(uint32_t info);
/* Path of the guest's binary; the caller frees it. Documented in QEMU 10.0, but not in its file. */
QEMU_PLUGIN_WEAK const char *qemu_plugin_path_to_binary(void);

/* Memory of each vCPU, and what translated code does with it without a call. Version
 * QEMU_PLUGIN_NEW; conditions and storing QEMU_PLUGIN_COPIES. */
struct qemu_plugin_scoreboard;
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 };
enum qemu_plugin_cond { QEMU_PLUGIN_COND_EQ = 2 };

QEMU_PLUGIN_WEAK struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t bytes);
QEMU_PLUGIN_WEAK int qemu_plugin_num_vcpus(void); /* so far */
QEMU_PLUGIN_WEAK void qemu_plugin_u64_add(qemu_plugin_u64 entry, unsigned vcpu, uint64_t by);
QEMU_PLUGIN_WEAK void qemu_plugin_u64_set(qemu_plugin_u64 entry, unsigned vcpu, uint64_t value);
QEMU_PLUGIN_WEAK uint64_t qemu_plugin_u64_sum(qemu_plugin_u64 entry);
QEMU_PLUGIN_WEAK void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
	struct qemu_plugin_tb *tb, enum qemu_plugin_op op, qemu_plugin_u64 entry, uint64_t operand);
QEMU_PLUGIN_WEAK void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
	void (*cb)(unsigned vcpu, void *data), enum qemu_plugin_cb_flags flags,
	enum qemu_plugin_cond cond, qemu_plugin_u64 entry, uint64_t operand, void *data);
/* not called: who has it has version QEMU_PLUGIN_READS */
QEMU_PLUGIN_WEAK bool qemu_plugin_read_memory_vaddr(uint64_t address, void *bytes, size_t n);

#endif
