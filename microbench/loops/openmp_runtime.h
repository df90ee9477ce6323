/*
 * An OpenMP runtime, loaded when it is wanted. Runtimes read OMP_WAIT_POLICY and its like once,
 * when they are loaded: so nothing here is compiled with -fopenmp, the calls below are those that
 * compiled code makes, and where another library has brought a runtime along, a copy is loaded.
 */
#ifndef SD_OPENMP_RUNTIME_H
#define SD_OPENMP_RUNTIME_H

#include "base/cpulist.h"

enum sd_openmp_runtime_wait {
	SD_OPENMP_RUNTIME_WAIT_DEFAULT,
	SD_OPENMP_RUNTIME_WAIT_PASSIVE,
	SD_OPENMP_RUNTIME_WAIT_ACTIVE,
	SD_OPENMP_RUNTIME_WAIT_COUNT
};

/* "default", "passive", "active". */
extern const char *const sd_openmp_runtime_wait_name[SD_OPENMP_RUNTIME_WAIT_COUNT];

struct sd_openmp_runtime {
	/* #pragma omp parallel num_threads(threads): fn(data) on every thread, then their join. */
	void (*parallel)(void (*fn)(void *data), void *data, unsigned threads, unsigned flags);
	void (*barrier)(void);
	int (*thread_num)(void);
	int (*num_threads)(void);
};

/*
 * Loads `library` into this process for one thread a CPU of `cpus`, bound there in order, waiting
 * as said; every other setting of an OpenMP runtime is taken out of the environment. Changes the
 * environment and the affinity of the calling thread: for a child process made for it. 0; -ELIBACC
 * when there is no such library or it is no OpenMP runtime; -EALREADY when it was loaded before
 * and no copy of it can be; -ENOMEM; or the kernel's -errno for the affinity.
 */
int sd_openmp_runtime_load(struct sd_openmp_runtime *omp, const char *library,
	enum sd_openmp_runtime_wait wait, const struct sd_cpulist *cpus);

#endif
