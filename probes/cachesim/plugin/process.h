/*
 * The emulated process as the plugin sees it, its results, and when they are written. It is one
 * structure that every callback finds by its name, because QEMU gives the callbacks no other place.
 */
#ifndef SIM_PROCESS_H
#define SIM_PROCESS_H

#include <stdint.h>

#include "plugin/blocks.h"
#include "threads/fast_path.h"
#include "model/plugin_options.h"
#include "plugin/output.h"
#include "threads/guest_run.h"
#include "guest/allocation_sites.h"

#define SIM_VCPUS 8192       /* QEMU's numbers of threads alive at one time */
#define SIM_INFOS (1u << 18) /* values of an access's description in this QEMU */

struct sim_vcpu {
	struct sim_fast *fast; /* its thread's while accesses may be tried, or nowhere */
	struct sim_thread *thread;
	struct sim_thread *simulate; /* its thread, if that is simulated; else NULL */
};

struct sim_process {
	struct sim_vcpu vcpu[SIM_VCPUS];
	struct sim_fast nowhere; /* has nothing */
	struct sim_row row[SIM_ROWS];
	uint16_t row_of[SIM_INFOS]; /* bytes from row[0] to an access's; 0: not yet asked */
	struct sim_run run;
	struct sim_options options;
	struct sim_output output;
	struct sim_sites sites; /* once the library has said hello */
	int hears;              /* it has */
	int memory;             /* of this process, as a file; -1 none */
	char name[32];
	uint64_t begun_ms, saved_ms, save_every_ms;
	uint64_t on_ms, off_ms; /* the simulated part, since the beginning; 0: not yet */
	int on;                 /* accesses are simulated */
	int done;               /* the part is over */
	int execed, complained;
	unsigned long beyond; /* threads past SIM_VCPUS */
	struct sim_blocks blocks;
};
extern struct sim_process sim_process;

/* After the options are there: as whatever QEMU calls `target`. 0 or -ENOMEM. */
int sim_process_open(const char *target);

/* In a forked child, which has only the thread that forked: a process of its own, with its own
 * counts, that begins anew. Under no lock. 0 or -ENOMEM. */
int sim_process_restart(void);

uint64_t sim_process_ms(void); /* of a clock that only goes on */

/* Says what is wrong, the first time; rc: 0 or -errno. */
void sim_process_complain(const char *what, int rc);

/* Writes the results so far. `interrupted`: why they are not the whole program's; NULL: nothing
 * that is not known here already. Under the run's lock. */
void sim_process_save(const char *interrupted);

#endif
