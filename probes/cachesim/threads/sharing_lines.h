/*
 * Lines that move between cores: which thread touched which bytes, from which code, and how many
 * transfers would remain if each thread's bytes were on a line of their own.
 */
#ifndef SIM_LINES_H
#define SIM_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "threads/guest_thread.h"
#include "guest/allocation_sites.h"

#define SIM_LINES_KEPT 2048
#define SIM_LINES_RACES 256
#define SIM_LINES_HOMES 4 /* heap blocks that the transfers of a line were in */
/* After this many events without a transfer, a line is no longer watched access by access: if all
 * were of one thread; and if of several, which may be spinning, thousands of times each, on a
 * thread that the host did not run for a window or two. */
#define SIM_LINES_CALM 4096
#define SIM_LINES_CALM_SEVERAL (4 * SIM_LINES_CALM)

struct sim_line {
	uint64_t line1;
	int watched;
	unsigned quiet;    /* accesses since the last transfer */
	unsigned quiet_by; /* thread of the first of them */
	int several;       /* others are among them */
	double hitm_load, hitm_store, invalidations, upgrades;
	double separated, watched_hitm; /* of the latter, HITM left if separated */
	struct sim_line_sharer {
		unsigned thread;
		uint64_t read, written, valid; /* valid: bytes that its copy has, if separated */
		double loads, stores, locked, hitm;
	} sharer[SD_SIM_SHARERS];
	size_t n_sharer;
	struct sim_line_code {
		uint64_t pc;
		double accesses, hitm;
		int writes, locked;
	} code[SD_SIM_CODES];
	size_t n_code;
	struct sim_line_home {
		struct sim_site site;
		unsigned votes; /* sampled transfers for a byte of it */
	} home[SIM_LINES_HOMES];
	size_t n_home;
	uint64_t frame; /* code of the function whose frame contains it; 0 unknown */
	unsigned moves; /* transfers, sampled or not */
	struct sim_line_byte {
		const struct sim_ins *ins;
		uint32_t order;   /* when it was written last */
		uint16_t thread1; /* by whom, + 1; 0 nobody yet */
		uint8_t dirty, locked;
	} byte[SD_SIM_LINE];
};

struct sim_race {
	uint64_t line, writer, other; /* address; pc; pc */
	uint64_t bytes;               /* mask */
};

struct sim_lines {
	struct sim_line *line;           /* owned; SIM_LINES_KEPT */
	size_t used;                     /* of them */
	uint16_t at[SIM_LINES_KEPT * 2]; /* by hash: index of a line + 1; 0 empty */
	size_t seen;           /* lines that ever moved, estimated from their first transfers */
	uint64_t first[16384]; /* line + 1 that moved once */
	uint8_t hot[SIM_HOT];  /* lines that threads must log, by hash */
	struct sim_race race[SIM_LINES_RACES];
	size_t n_race, n_race_seen;
	unsigned line_shift;
	struct sim_sites *sites; /* borrowed; NULL: heap not tracked */
	uint64_t base;           /* of the guest's memory in this process */
};

/* The effect of an access on a line. */
struct sim_moved {
	int hitm, upgrade;
	unsigned invalidated;
	enum sim_source { SIM_FROM_LLC, SIM_FROM_PEER, SIM_FROM_FAR, SIM_FROM_MEMORY } source;
};

int sim_lines_open(struct sim_lines *l, unsigned line_shift); /* 0 or -ENOMEM */
void sim_lines_close(struct sim_lines *l);

/*
 * An access of thread t to a watched line, or that moved a line; `threads` are all, by index. 1:
 * *word starts or stops the logging of every access to it in L1; 0: no change.
 */
int sim_lines_access(struct sim_lines *l, const struct sim_thread *t, const struct sim_event *e,
	const struct sim_moved *moved, const struct sim_thread *const *threads,
	enum sim_word *word);

/* True, false or mixed sharing, by the share of its transfers that would remain if separated. */
enum sd_sim_sharing sim_line_sharing(const struct sim_line *l);

#endif
