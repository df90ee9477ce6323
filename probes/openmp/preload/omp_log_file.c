#include "preload/omp_preload.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/log_room.h"
#include "trace/program_sandbox.h"

static struct sd_omp_log *head;
static int tried; /* head is what it stays */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Regions without another around them: how many are open, and when the last one ended. */
static uint64_t open_regions, last_end, loaded;

static char own_path[256]; /* of the program's file; empty: not known */

static const char *const runtime[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};

/* A child of fork() has a log of its own, from its first region on. */
static void forget(void)
{
	head = NULL;
	tried = 0;
	open_regions = 0;
	last_end = loaded = sd_omp_now();
}

static void open_log(void)
{
	const char *const folder = getenv("SCALEDIAG_OMP_FOLDER");
	char path[4096];
	void *map = MAP_FAILED;
	int fd;

	if (!folder || !*folder || sd_program_sandbox_is() ||
		snprintf(path, sizeof path, "%s/%d.omp", folder, (int)getpid()) >= (int)sizeof path)
		return;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (sd_log_room_reserve(fd, 0, sizeof *head) == 0)
		map = mmap(NULL, sizeof *head, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		unlink(path);
		return;
	}
	head = map;
	head->size_of_region = sizeof head->region[0];
	head->pid = (uint32_t)getpid();
	head->loaded = loaded;
	__atomic_store_n(&head->magic, SD_OMP_LOG_MAGIC, __ATOMIC_RELEASE);
}

/* The i-th runtime if the program has it; the caller closes it. */
static void *loaded_runtime(size_t i)
{
	return dlopen(runtime[i], RTLD_LAZY | RTLD_NOLOAD);
}

static int has_runtime(void)
{
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof runtime / sizeof *runtime; i++)
		library = loaded_runtime(i);
	return library && dlclose(library) == 0;
}

/* A program may forbid itself system calls from main() on, with a seccomp filter that kills at
 * others: all that a log needs is called before. A runtime that is loaded later, and a child of
 * fork(), have their log opened at their first region, and none behind such a filter. */
__attribute__((constructor)) static void start(void)
{
	last_end = loaded = sd_omp_now();
	pthread_atfork(NULL, NULL, forget);
	if (readlink("/proc/self/exe", own_path, sizeof own_path - 1) < 0)
		own_path[0] = '\0';
	if (has_runtime()) {
		open_log();
		tried = 1;
	}
}

void *sd_omp_next(const char *name)
{
	static const char missing[] = "scalediag: OpenMP's runtime has no function of this name: ";
	void *found = dlsym(RTLD_NEXT, name), *library;

	/* a program that loads it while it runs has it out of sight */
	for (size_t i = 0; !found && i < sizeof runtime / sizeof *runtime; i++)
		if ((library = loaded_runtime(i)) != NULL) {
			found = dlsym(library, name);
			dlclose(library);
		}
	if (found)
		return found;
	if (write(STDERR_FILENO, missing, sizeof missing - 1) < 0 ||
		write(STDERR_FILENO, name, strlen(name)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		abort();
	abort();
}

/* Its number; SD_OMP_LOG_MODULES: there is no room. */
static uint32_t module_of(const char *path)
{
	uint32_t i = 0;

	while (i < head->modules && strcmp(head->module[i], path))
		i++;
	if (i < head->modules || i == SD_OMP_LOG_MODULES || strlen(path) >= sizeof *head->module)
		return i < head->modules ? i : SD_OMP_LOG_MODULES;
	snprintf(head->module[i], sizeof head->module[i], "%s", path);
	head->modules++;
	return i;
}

static void name_row(struct sd_omp_region *row, void *function)
{
	struct link_map *map = NULL;
	const char *path;
	Dl_info info;

	row->module = SD_OMP_LOG_MODULES;
	if (!dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return;
	row->address = (uint64_t)(uintptr_t)function - (uint64_t)map->l_addr;
	path = *map->l_name ? map->l_name : own_path; /* the program itself has no name */
	if (*path)
		row->module = module_of(path);
}

static struct sd_omp_region *take_row(struct sd_omp_region *row, void *function)
{
	pthread_mutex_lock(&lock);
	if (!row->function) {
		head->runtime = sd_omp_by_ompt ? SD_OMP_OMPT : SD_OMP_LIBGOMP;
		name_row(row, function);
		__atomic_store_n(&row->ready, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&row->function, (uint64_t)(uintptr_t)function, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return row;
}

struct sd_omp_region *sd_omp_log_row(void (*fn)(void *data))
{
	const uint64_t function = (uint64_t)(uintptr_t)fn;
	unsigned at = (unsigned)(function * 0x9e3779b97f4a7c15ull >> 40);
	void *code;

	memcpy(&code, &fn, sizeof code);
	if (__builtin_expect(!__atomic_load_n(&tried, __ATOMIC_ACQUIRE), 0)) {
		pthread_mutex_lock(&lock);
		if (!tried)
			open_log();
		__atomic_store_n(&tried, 1, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&lock);
	}
	for (unsigned i = 0; head && i < SD_OMP_LOG_REGIONS; i++) {
		struct sd_omp_region *const row = &head->region[(at + i) % SD_OMP_LOG_REGIONS];
		const uint64_t its = __atomic_load_n(&row->function, __ATOMIC_ACQUIRE);

		if (its == function)
			return row;
		if (!its && take_row(row, code)->function == function)
			return row;
	}
	if (head)
		sd_omp_add(&head->no_row, 1);
	return NULL;
}

uint64_t sd_omp_log_begins(uint64_t now)
{
	const uint64_t end = __atomic_load_n(&last_end, __ATOMIC_RELAXED);

	return __atomic_fetch_add(&open_regions, 1, __ATOMIC_ACQ_REL) || now < end ? 0 : now - end;
}

void sd_omp_log_ends(uint64_t now)
{
	__atomic_store_n(&last_end, now, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&open_regions, 1, __ATOMIC_ACQ_REL);
}
