/*
 * An OpenMP runtime, loaded on demand. Runtimes read OMP_WAIT_POLICY and similar variables once,
 * when loaded. Therefore nothing here is compiled with -fopenmp, the calls below are those that
 * compiled code makes, and if another library has already loaded a runtime, a copy is loaded.
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
 * Loads `library` into this process with one thread for each CPU of `cpus`, bound in order, and
 * this wait policy; removes all other OpenMP settings from the environment. Changes environment and
 * affinity of the calling thread, so call it in a dedicated child process. 0; -ELIBACC: no such
 * library, or not an OpenMP runtime; -EALREADY: already loaded, and no copy can be; -ENOMEM; or the
 * kernel's -errno for the affinity.
 */
int sd_openmp_runtime_load(struct sd_openmp_runtime *omp, const char *library,
	enum sd_openmp_runtime_wait wait, const struct sd_cpulist *cpus);

#endif
