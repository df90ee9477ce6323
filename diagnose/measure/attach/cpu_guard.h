/*
 * Changes the CPUs of a running program, and puts them back in every case: at the end, and when
 * scalediag is killed, even by SIGKILL.
 *
 * The guard is a process of its own, forked before anything is changed. It waits at a socket, which
 * closes when scalediag ends, however it does; then it puts all back and ends. If the guard is
 * killed, or does not answer, scalediag does it; if both are killed, the next start of any command
 * (mask_note.h). Affinities are what is changed, of every thread, and not a cpuset: those of a
 * cpuset that is changed would be lost, and could not be told from the program's own.
 */
#ifndef SD_CPU_GUARD_H
#define SD_CPU_GUARD_H

#include "attach/attached.h"
#include "attach/mask_note.h"
#include "attach/thread_masks.h"
#include "base/sink.h"

struct sd_cpu_guard {
	struct sd_attached *program;
	struct sd_thread_masks masks;
	struct sd_mask_note note;
	pid_t pid;  /* of the guard; 0: closed */
	int socket; /* our end */
};

/* Saves what there is and starts the guard. 0; after a message, -errno (*g is then closed). */
int sd_cpu_guard_open(
	struct sd_cpu_guard *g, struct sd_attached *program, const struct sd_sink *sink);

/* All threads of the program on these CPUs (sd_thread_masks_narrow()), those that came up since as
 * well. 0; after a message, -errno. */
int sd_cpu_guard_narrow(
	struct sd_cpu_guard *g, const struct sd_cpulist *cpus, const struct sd_sink *sink);

/* All is as it was before. 0, or -EIO after a message: of some threads it is not. Accepts the
 * zeroed value. */
int sd_cpu_guard_close(struct sd_cpu_guard *g, const struct sd_sink *sink);

/* Puts back what one left that was killed together with its guard: its note is `name` in the folder
 * `fd`. 0: the note is done with; else it stays. Says what was done. */
int sd_cpu_guard_noted(int fd, const char *name, const struct sd_sink *sink);

#endif
