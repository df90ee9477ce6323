/* clang-format off */
/*
 * Reads the file that the software PMU's plugin (probes/cachesim) writes during emulation; it holds
 * guest addresses, not symbols. It was written inside the process of an untrusted program, so every
 * byte is checked.
 *
 * To run the plugin: `qemu-x86_64 -plugin scalediag-sim.so,OPTION=VALUE,... PROGRAM`. A comma in a
 * value is doubled. Options:
 *   out=PREFIX      writes PREFIX.PID.sim for every process that ran guest code, forked children
 *                   included, atomically replaced about every second and at its end; required
 *   name=TEXT       of the machine, stored in the file
 *   cores=N         1 to 1024; the guest's i-th thread runs on core i % N
 *   line=BYTES      16 to 64, a power of two
 *   l1=BYTES:WAYS   l2=BYTES:WAYS[:INCLUSIVE]   0 bytes: no such level (not L1)
 *   llc=BYTES:WAYS[:SHARERS[:INCLUSIVE]]   SHARERS: cores of one LLC, 0 all of them
 *   dtlb=ENTRIES:WAYS  stlb=ENTRIES:WAYS   0 entries: none
 *   page=BYTES      4096 or 2097152
 *   adjacent=0|1    an L2 miss also fetches the other line of the 128-byte pair
 *   latency=L2:LLC:MEMORY:TRANSFER:STLB:WALK   cycles of an access beyond an L1 hit
 *   core=INSTRUCTIONS:BUS:AHEAD:FAR   models cores that go on behind stores, for so many
 *                   instructions, a bus that each line takes for BUS hundredths of a cycle, a
 *                   prefetcher AHEAD lines ahead of a stream, and FAR cycles of a line that another
 *                   LLC's cores hold modified
 *   window=CYCLES   the most a thread may be ahead of a running one: 1000 to 10000000
 *   from=N for=N    instructions of all threads together: skip N, then simulate N
 *   from_ms=N for_ms=N   the same in milliseconds of the emulated run
 *   share=PERCENT   1 to 50, of the instructions: models parts spread over the whole run, which
 *                   stand for all of it
 *   settle=PERCENT  models all from the beginning until the counts are known to so many percent,
 *                   and from there on parts
 *   total=1         only counts all instructions, without simulating, and writes PREFIX.PID.total
 *                   (instruction_totals.h)
 *   function=NAME   only while inside the outermost call of this symbol (needs a symbol)
 * An unknown option or a value out of range: a message on stderr, and QEMU exits with status 1.
 */
/* clang-format on */
#ifndef SD_SIM_FILE_H
#define SD_SIM_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "record/modelled_count.h"
#include "record/simulated.h"

#define SD_SIM_FILE_BYTES (64u << 20) /* a larger file is refused */
#define SD_SIM_FILE_MAPS 16384
#define SD_SIM_FILE_SITES 4096
#define SD_SIM_FILE_WAITS (1u << 18)
#define SD_SIM_FILE_DEPTH 16 /* callers of an allocation site */

/* A mapping of the guest, in guest addresses, at the time of writing. */
struct sd_sim_file_map {
	uint64_t start, end, offset;
	int executable;
	char *path; /* owned; of a file, or "[heap]", "[stack]", "[vdso]", "" anonymous */
};

struct sd_sim_file_code {
	uint64_t pc;
	double accesses, hitm;
	int writes, locked;
};

/* The allocation site of heap memory. */
struct sd_sim_file_site {
	uint64_t start, bytes;          /* the block containing the contested line */
	uint64_t pc[SD_SIM_FILE_DEPTH]; /* return addresses, innermost first; of its malloc */
	size_t n_pc;
};

struct sd_sim_file_contested {
	uint64_t address;
	enum sd_sim_sharing sharing;
	double hitm_load, hitm_store, invalidations, upgrades;
	struct sd_value separated; /* as in struct sd_sim_contested */
	uint64_t frame;            /* code of the function whose stack frame it is in; 0 unknown */
	size_t site,
		n_site; /* its blocks: index of the first in sites, and count; most moves first */
	struct sd_sim_sharer *sharer; /* owned */
	size_t n_sharer;
	struct sd_sim_file_code *code; /* owned */
	size_t n_code;
};

struct sd_sim_file_loop {
	uint64_t head, end; /* addresses of its first instruction and of the end of its last */
	double entries, iterations, instructions, bytes_consumed, bytes_moved;
};

struct sd_sim_file_block {
	uint64_t start, end;
	double runs, instructions; /* instructions: of one run */
};

struct sd_sim_file_race {
	uint64_t address, writer, other; /* data; pc; pc */
	unsigned bytes;
};

struct sd_sim_file_conflict {
	uint64_t pc;
	int64_t stride;
	double misses;
};

/* Clocks of a thread's beginning and end, of the machine's; and a wait in between, at a futex as it
 * was called, address 0: in another call. */
struct sd_sim_file_life {
	double begun, ended;
};
struct sd_sim_file_wait {
	unsigned thread; /* its number */
	double from, to;
	uint64_t address;
	uint64_t operation, value;
};

struct sd_sim_file_stack { /* the address range of a thread's stack; 0, 0 unknown */
	uint64_t low, high;
};

struct sd_sim_file {
	int pid, parent;            /* of the emulating process, on the host */
	char target[32];            /* QEMU's name of the architecture, "x86_64" */
	char program[1024];         /* path of the ELF file; "" unknown */
	uint64_t brk_low, brk_high; /* the brk heap; 0, 0 unknown */
	struct sd_sim_machine machine;
	int partial;
	char why[SD_SIMULATED_TEXT];
	struct sd_value
		sampled; /* share of the instructions that the model has seen; absent: all */
	char precision[SD_SIMULATED_TEXT]; /* of the counts, then */
	double from_s, for_s;
	double instructions;    /* of all threads, in the simulated part */
	struct sd_value cycles; /* of the longest thread, by the latency model */
	/* of all threads; woken: by a system call of another; locked: atomic instructions */
	struct sd_value system_calls, woken, locked;
	int modelled; /* by the core model: `event` */
	double event[SD_MODELLED_COUNT];
	struct sd_sim_file_life *life; /* owned; of the first threads, then; none: not known */
	size_t n_life;
	struct sd_sim_file_wait *wait; /* owned */
	size_t n_wait;
	double transfers;                /* HITM of all lines, including those not kept */
	struct sd_sim_thread *thread;    /* owned; in order of their start */
	struct sd_sim_file_stack *stack; /* owned; as many as threads */
	size_t n_thread, n_thread_seen;
	struct sd_sim_file_contested *contested; /* owned; most HITM first */
	size_t n_contested, n_contested_seen;
	struct sd_sim_file_loop *loop; /* owned; most instructions first */
	size_t n_loop;
	struct sd_sim_file_block *block; /* owned; most instructions first */
	size_t n_block;
	struct sd_sim_file_race *race; /* owned */
	size_t n_race, n_race_seen;
	struct sd_sim_file_conflict *conflict; /* owned; most misses first */
	size_t n_conflict;
	struct sd_sim_file_site *site; /* owned */
	size_t n_site;
	int heap; /* allocations were tracked; heap_stacks: number of sites, 0 if nothing was
		     allocated */
	double heap_stacks;
	struct sd_sim_file_map *map; /* owned; by address */
	size_t n_map;
};

/*
 * Reads PREFIX.PID.sim, or a text of `size` bytes. 0; -errno of the file; -ENOMEM; -EBADMSG: `why`
 * (always NUL-terminated, may be NULL) says which line is wrong and how. *out is empty on failure.
 */
int sd_sim_file_read(struct sd_sim_file *out, const char *path, char *why, size_t n);
int sd_sim_file_parse(struct sd_sim_file *out, const char *text, size_t size, char *why, size_t n);
void sd_sim_file_free(struct sd_sim_file *f); /* accepts the empty value, leaves it */

#endif
