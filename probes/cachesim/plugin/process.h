/*
 * The emulated process, its results, and when they are written. A single global, because QEMU
 * passes callbacks no pointer for it.
 */
#ifndef SIM_PROCESS_H
#define SIM_PROCESS_H

#include <stdint.h>

#include "plugin/blocks.h"
#include "threads/fast_path.h"
#include "model/plugin_options.h"
#include "plugin/output.h"
#include "plugin/sampled_parts.h"
#include "threads/guest_run.h"
#include "guest/allocation_sites.h"

#define SIM_VCPUS 8192       /* QEMU's thread numbers, of threads alive at one time */
#define SIM_INFOS (1u << 18) /* number of values of `info` in this QEMU */

struct sim_vcpu {
	struct sim_fast *fast; /* of its thread while the fast path may be tried; else `nowhere`;
				  NULL: its accesses are not modelled now */
	struct sim_thread *thread;
	struct sim_thread *simulate; /* its thread if simulated; else NULL */
};

/* Events for which translated code calls the plugin: blocks and accesses; blocks only, while the
 * model rests; blocks only, to count instructions; nothing. */
enum sim_mode { SIM_MODE_ALL, SIM_MODE_REST, SIM_MODE_PASS, SIM_MODE_NOTHING };

struct sim_process {
	struct sim_vcpu vcpu[SIM_VCPUS];
	struct sim_fast nowhere; /* has nothing */
	struct sim_row row[SIM_ROWS];
	uint16_t row_of[SIM_INFOS]; /* offset in bytes of an access's row from row[0]; 0: not yet
				       known */
	struct sim_run run;
	struct sim_options options;
	struct sim_output output;
	struct sim_sites sites; /* valid after SIM_HEAP_HELLO */
	int hears;              /* SIM_HEAP_HELLO was received */
	char name[32];
	uint64_t begun_ms, saved_ms, save_every_ms;
	uint64_t on_ms, off_ms; /* start and end of the simulated part, from begun_ms; 0: not yet */
	int on;                 /* accesses are being simulated */
	int rests;              /* but not now: between parts (sampled_parts.h) */
	int threaded;           /* it, or who forked it, ever made a thread */
	int expects;            /* the first, for which its translations are not what they were */
	enum sim_mode mode, wanted; /* of the translations there are; soon */
	int asked;                  /* QEMU was asked to drop its translations, and has not yet */
	int switches;               /* a part begins with them */
	uint64_t id;                /* QEMU's, of the plugin */
	void (*instrument)(uint64_t id); /* registers the callbacks of `wanted` */
	int done;                        /* the part is over */
	struct sim_sampled_parts parts;  /* of use if only parts are modelled */
	int execed, complained;
	unsigned long beyond; /* threads past SIM_VCPUS */
	struct sim_blocks blocks;
};
extern struct sim_process sim_process;

/* Call after the options are set. `target`: QEMU's name for it. 0 or -ENOMEM. */
int sim_process_open(const char *target);

/* For a forked child, which has only the forking thread: restarts as a new process with its own
 * counts. No lock may be held. 0 or -ENOMEM. */
int sim_process_restart(void);

uint64_t sim_process_ms(void); /* monotonic */

/*
 * Has QEMU drop its translations, where it can, if `wanted` is no longer what they have; soon, not
 * at once. Only from a system call's callback, with no lock held, or where no other thread lives:
 * QEMU keeps a lock for it while it waits that all threads have left translated code to end the
 * process.
 */
void sim_process_retranslate(void);

/* Prints what is wrong, the first time only; rc: 0 or -errno. */
void sim_process_complain(const char *what, int rc);

/* Writes the results so far. `interrupted`: why they do not cover the whole program; NULL: no
 * reason beyond those known here. Caller holds the run's lock. */
void sim_process_save(const char *interrupted);

#endif
