#include "loops/openmp_runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)1 << 20) /* of a library, copied at once */

const char *const sd_openmp_runtime_wait_name[SD_OPENMP_RUNTIME_WAIT_COUNT] = {
	[SD_OPENMP_RUNTIME_WAIT_DEFAULT] = "default",
	[SD_OPENMP_RUNTIME_WAIT_PASSIVE] = "passive",
	[SD_OPENMP_RUNTIME_WAIT_ACTIVE] = "active",
};

static int is_setting(const char *variable)
{
	return strncmp(variable, "OMP_", 4) == 0 || strncmp(variable, "GOMP_", 5) == 0 ||
	       strncmp(variable, "KMP_", 4) == 0;
}

static int forget_settings(void)
{
	for (char **e = environ; e && *e;) {
		char name[64];
		size_t n = strcspn(*e, "=");

		if (!is_setting(*e) || n >= sizeof(name)) {
			e++;
			continue;
		}
		memcpy(name, *e, n);
		name[n] = '\0';
		if (unsetenv(name))
			return -errno;
		e = environ;
	}
	return 0;
}

/* OMP_PLACES: one place a CPU, "{0},{1}". */
static int set_places(const struct sd_cpulist *cpus)
{
	const size_t room = cpus->n * 16 + 1;
	char *places = malloc(room);
	size_t at = 0;
	int rc;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < cpus->n; i++)
		at += (size_t)snprintf(
			places + at, room - at, "%s{%u}", i ? "," : "", cpus->cpu[i]);
	rc = setenv("OMP_PLACES", places, 1) || setenv("OMP_PROC_BIND", "true", 1) ? -errno : 0;
	free(places);
	return rc;
}

/* A runtime places threads only where the process may run when it is loaded. The kernel leaves CPUs
 * that are not there out of a mask without a word. */
static int widen(const struct sd_cpulist *cpus)
{
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	cpu_set_t *wanted = CPU_ALLOC(SD_CPU_MAX), *got = CPU_ALLOC(SD_CPU_MAX);
	int rc = -ENOMEM;

	if (wanted && got) {
		CPU_ZERO_S(size, wanted);
		CPU_ZERO_S(size, got);
		for (size_t i = 0; i < cpus->n; i++)
			CPU_SET_S(cpus->cpu[i], size, wanted);
		rc = sched_setaffinity(0, size, wanted) || sched_getaffinity(0, size, got) ? -errno
											   : 0;
		if (!rc && !CPU_EQUAL_S(size, wanted, got))
			rc = -EINVAL;
	}
	CPU_FREE(wanted);
	CPU_FREE(got);
	return rc;
}

static int environment(enum sd_openmp_runtime_wait wait, const struct sd_cpulist *cpus)
{
	int rc = forget_settings();

	if (!rc)
		rc = set_places(cpus);
	if (!rc && setenv("OMP_DYNAMIC", "false", 1))
		rc = -errno;
	if (!rc && wait != SD_OPENMP_RUNTIME_WAIT_DEFAULT &&
		setenv("OMP_WAIT_POLICY", sd_openmp_runtime_wait_name[wait], 1))
		rc = -errno;
	return rc;
}

/* POSIX lets a data pointer hold a function's address; C does not convert it. */
static int find(void *library, const char *name, void *function)
{
	void *p = dlsym(library, name);

	memcpy(function, &p, sizeof(p));
	return p ? 0 : -ELIBACC;
}

/* The bytes of a loaded library in memory that has a descriptor; -errno. */
static int copy_of(void *loaded)
{
	struct link_map *map;
	ssize_t n = -1;
	int in, out;

	if (dlinfo(loaded, RTLD_DI_LINKMAP, &map) != 0)
		return -EALREADY;
	in = open(map->l_name, O_RDONLY | O_CLOEXEC);
	out = memfd_create("openmp", MFD_CLOEXEC);
	if (in >= 0 && out >= 0)
		do
			n = sendfile(out, in, NULL, CHUNK_BYTES);
		while (n > 0);
	if (in >= 0)
		close(in);
	if (n == 0)
		return out;
	if (out >= 0)
		close(out);
	return -EALREADY;
}

/*
 * A runtime that another library brought along has read its settings long ago. A copy of it reads
 * them anew: the loader tells libraries apart by their file. *handle is never closed: its threads
 * run in it until the process ends.
 */
static int load(const char *library, void **handle)
{
	const int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
	void *loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
	char path[32];
	int fd;

	if (!loaded) {
		*handle = dlopen(library, flags);
		return *handle ? 0 : -ELIBACC;
	}
	fd = copy_of(loaded);
	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*handle = dlopen(path, flags);
	close(fd);
	return *handle && *handle != loaded ? 0 : -EALREADY;
}

int sd_openmp_runtime_load(struct sd_openmp_runtime *omp, const char *library,
	enum sd_openmp_runtime_wait wait, const struct sd_cpulist *cpus)
{
	void *handle;
	int rc = environment(wait, cpus);

	if (!rc)
		rc = widen(cpus);
	if (!rc)
		rc = load(library, &handle);
	if (rc)
		return rc;
	rc = find(handle, "GOMP_parallel", (void *)&omp->parallel);
	if (!rc)
		rc = find(handle, "GOMP_barrier", (void *)&omp->barrier);
	if (!rc)
		rc = find(handle, "omp_get_thread_num", (void *)&omp->thread_num);
	if (!rc)
		rc = find(handle, "omp_get_num_threads", (void *)&omp->num_threads);
	return rc;
}
