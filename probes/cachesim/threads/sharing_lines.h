/*
 * Lines that move between cores: who touched which bytes, from which code, and what would be left
 * of it if every byte could be on its own (each thread's bytes on a line of their own).
 */
#ifndef SIM_LINES_H
#define SIM_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "threads/guest_thread.h"
#include "guest/allocation_sites.h"

#define SIM_LINES_KEPT 2048
#define SIM_LINES_RACES 256
#define SIM_LINES_HOMES 4 /* blocks of the heap that the moves of a line were in */
/* Events of a line without any transfer after which it is no longer watched access by access: of
 * one thread; and of several, which may be waiting in loops for a thread that the host did not let
 * run for a window or two, each of them thousands of times. */
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
		unsigned votes; /* moves that were for a byte of it, of those looked at */
	} home[SIM_LINES_HOMES];
	size_t n_home;
	uint64_t frame; /* code of the function in whose frame it is; 0 none known */
	unsigned moves; /* asked about or not */
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
	size_t seen;                     /* lines that ever moved, estimated from first sightings */
	uint64_t first[16384];           /* line + 1 that moved once */
	uint8_t hot[SIM_HOT];            /* lines that threads must log, by hash */
	struct sim_race race[SIM_LINES_RACES];
	size_t n_race, n_race_seen;
	unsigned line_shift;
	struct sim_sites *sites; /* borrowed; NULL: the heap is not known */
	int memory; /* the guest's, as a file, at `base`; read where calls are followed */
	uint64_t base;
};

/* What an access did to a line. */
struct sim_moved {
	int hitm, upgrade;
	unsigned invalidated;
};

int sim_lines_open(struct sim_lines *l, unsigned line_shift); /* 0 or -ENOMEM */
void sim_lines_close(struct sim_lines *l);

/*
 * An access of thread t that a watched line must know of, or that moved a line; `threads` are all
 * by index. 1: *word tells whether L1 shall log every access to it from now on, or no longer; 0:
 * nothing to tell.
 */
int sim_lines_access(struct sim_lines *l, const struct sim_thread *t, const struct sim_event *e,
	const struct sim_moved *moved, const struct sim_thread *const *threads,
	enum sim_word *word);

/* True, false or mixed, from the share of its transfers that separation would leave. */
enum sd_sim_sharing sim_line_sharing(const struct sim_line *l);

#endif
