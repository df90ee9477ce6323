#include "preload/mpi_preload.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/log_room.h"
#include "trace/program_sandbox.h"

/* A thread's CPU time is read at the first boundary of a call after so long: a system call each. */
#define LOOK_NS 2000000u
/* Polls no further apart than this are one wait. */
#define POLL_NS 20000u

/* The disk's room is taken a megabyte at a time. */
#define ROOM_EVENTS (1u << 14)

#define BYTES (sizeof(struct sd_mpi_log) + SD_MPI_LOG_EVENTS * sizeof(struct sd_mpi_event))
#define FIRST_BYTES (sizeof(struct sd_mpi_log) + ROOM_EVENTS * sizeof(struct sd_mpi_event))

struct sd_mpi_log *sd_mpi_log_head;
static struct sd_mpi_event *events;
static char log_path[4096]; /* of the file, which is not kept open: the program may close what it
			       likes */
static struct stat made;    /* of the file, when it was made */
static uint32_t room;       /* events that the disk has room for */
static int schedstat = -1;
static struct stat scheduled; /* what schedstat was when it was opened */
static uint64_t loaded, process_cpu;
static uint32_t threads;
static char own_path[256]; /* of the program's file; empty: not known */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* This thread's number + 1, its last event + 1, and the last boundary. */
static __thread uint32_t number, last_event;
static __thread struct {
	uint64_t at, looked, cpu, delay;
	uint64_t outside, inside; /* wall time since it was looked at */
} clock_of;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t sd_mpi_log_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

__attribute__((constructor)) static void remember_start(void)
{
	loaded = sd_mpi_log_now();
}

/* Does the number still stand for what was opened under it? */
static int is_still(int fd, const struct stat *was)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == was->st_dev &&
	       st.st_ino == was->st_ino;
}

static int open_schedstat(void)
{
	schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	return schedstat >= 0 && fstat(schedstat, &scheduled) == 0;
}

/* A program that closes what it did not open may have a file of its own under the number. */
static uint64_t read_delay(void)
{
	char text[96];
	const ssize_t n = is_still(schedstat, &scheduled) || open_schedstat()
				  ? pread(schedstat, text, sizeof text - 1, 0)
				  : -1;
	unsigned long long delay = 0;

	if (n <= 0)
		return 0;
	text[n] = 0;
	return sscanf(text, "%*u %llu", &delay) == 1 ? delay : 0;
}

/* Does somebody ask for the calls? */
static int logs_calls(void)
{
	const char *const calls = getenv("SCALEDIAG_MPI_CALLS");

	return !calls || strcmp(calls, "none") != 0;
}

void sd_mpi_log_begin(void)
{
	const char *const folder = getenv("SCALEDIAG_MPI_FOLDER");
	char host[64] = "";
	void *map;
	int file;

	if (!folder || !*folder || sd_mpi_log_head || sd_program_sandbox_is())
		return;
	gethostname(host, sizeof host - 1);
	for (char *c = host; *c; c++)
		if (*c == '/')
			*c = '_';
	if (snprintf(log_path, sizeof log_path, "%s/%s.%d.mpi", folder, host, (int)getpid()) >=
		(int)sizeof log_path)
		return;
	file = open(log_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return;
	map = fstat(file, &made) || !sd_log_room_is_allowed(BYTES) ||
			      ftruncate(file, (off_t)BYTES) ||
			      sd_log_room_reserve(file, 0, FIRST_BYTES)
		      ? MAP_FAILED
		      : mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (map == MAP_FAILED) {
		unlink(log_path);
		return;
	}
	room = ROOM_EVENTS;
	if (readlink("/proc/self/exe", own_path, sizeof own_path - 1) < 0)
		own_path[0] = '\0';
	sd_mpi_abi_find();
	events = (struct sd_mpi_event *)((char *)map + sizeof(struct sd_mpi_log));
	*(struct sd_mpi_log *)map = (struct sd_mpi_log){
		.size_of_event = logs_calls() ? sizeof(struct sd_mpi_event) : 0,
		.abi = (uint32_t)sd_mpi_abi.id,
		.pid = (uint32_t)getpid(),
		.loaded = loaded,
		.init = sd_mpi_log_now(),
	};
	snprintf(((struct sd_mpi_log *)map)->host, 64, "%s", host);
	sd_mpi_log_head = map;
}

void sd_mpi_log_ready(void)
{
	sd_mpi_next_fn *const rank = sd_mpi_next_find("Comm_rank"), *const size = sd_mpi_next_find(
									    "Comm_size");
	int r = 0, n = 0;

	sd_mpi_comms_begin();
	if (!rank || !size ||
		(int)rank((long)sd_mpi_abi.world, (long)&r, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) ||
		(int)size((long)sd_mpi_abi.world, (long)&n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
		return;
	sd_mpi_log_head->rank = (uint32_t)r;
	sd_mpi_log_head->ranks = (uint32_t)n;
	sd_mpi_comms_find(sd_mpi_abi.world);
	number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
	sd_mpi_log_head->inited = clock_of.at = clock_of.looked = sd_mpi_log_now();
	clock_of.cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
	clock_of.delay = read_delay();
	process_cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	__atomic_store_n(&sd_mpi_log_head->magic, SD_MPI_LOG_MAGIC, __ATOMIC_RELEASE);
}

/* The part of `sum` that is in proportion to `part` of `all`; 0 of nothing. */
static uint64_t share(uint64_t sum, uint64_t part, uint64_t all)
{
	return all ? (uint64_t)((double)sum * (double)part / (double)all) : 0;
}

/* Divides the time since the last look, by system calls. */
static struct sd_mpi_delays divide(void)
{
	const uint64_t cpu = read_clock(CLOCK_THREAD_CPUTIME_ID), delay = read_delay();
	const uint64_t all = clock_of.outside + clock_of.inside;
	const uint64_t on = cpu - clock_of.cpu, ready = delay - clock_of.delay;
	const uint64_t off = all > on ? all - on : 0, waited = ready < off ? ready : off;
	const uint64_t outside = share(waited, clock_of.outside, all);

	sd_mpi_log_head->outside.off += share(off, clock_of.outside, all);
	sd_mpi_log_head->inside.off += share(off, clock_of.inside, all);
	sd_mpi_log_head->outside.delay += outside;
	sd_mpi_log_head->inside.delay += waited - outside;
	sd_mpi_log_head->process_cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID) - process_cpu;
	clock_of.cpu = cpu;
	clock_of.delay = delay;
	return (struct sd_mpi_delays){
		(uint32_t)(outside / 1000), (uint32_t)((waited - outside) / 1000)};
}

static struct sd_mpi_delays look(uint64_t now)
{
	const struct sd_mpi_delays none = {0, 0},
				   delays = sd_program_sandbox_is() ? none : divide();

	sd_mpi_log_head->outside.wall += clock_of.outside;
	sd_mpi_log_head->inside.wall += clock_of.inside;
	clock_of.outside = clock_of.inside = 0;
	clock_of.looked = now;
	return delays;
}

struct sd_mpi_delays sd_mpi_log_boundary(uint64_t now, int was_inside)
{
	const struct sd_mpi_delays none = {0, 0};

	if (number != 1)
		return none;
	*(was_inside ? &clock_of.inside : &clock_of.outside) += now - clock_of.at;
	clock_of.at = now;
	return now - clock_of.looked >= LOOK_NS ? look(now) : none;
}

void sd_mpi_log_final(void)
{
	const uint64_t now = sd_mpi_log_now();

	if (number == 1) {
		struct sd_mpi_event last = {.enter = now,
			.leave = now,
			.kind = SD_MPI_TIME,
			.site = UINT32_MAX,
			.comm = SD_MPI_NO_COMM,
			.peer = SD_MPI_NOBODY};

		clock_of.outside += now - clock_of.at;
		last.off = look(now).outside;
		if (sd_mpi_log_head->size_of_event)
			sd_mpi_log_add(&last);
	}
	sd_mpi_log_head->final = now;
	sd_mpi_log_head->threads = threads;
}

/* The rank may run on, and call nothing more. */
void sd_mpi_log_end(void)
{
	struct sd_mpi_log *const head = sd_mpi_log_head;

	head->finalized = sd_mpi_log_now();
	sd_mpi_log_head = NULL;
	if (!sd_program_sandbox_is() && is_still(schedstat, &scheduled))
		close(schedstat);
	/* stays mapped, and as long as it was: another thread may still be writing */
}

/* The module's row, by its path. */
static uint32_t find_module(const char *path)
{
	uint32_t i;

	for (i = 0; i < sd_mpi_log_head->modules; i++)
		if (strncmp(sd_mpi_log_head->module[i], path,
			    sizeof sd_mpi_log_head->module[i] - 1) == 0)
			return i;
	if (i == SD_MPI_LOG_MODULES)
		return UINT32_MAX;
	snprintf(sd_mpi_log_head->module[i], sizeof sd_mpi_log_head->module[i], "%s", path);
	sd_mpi_log_head->modules = i + 1;
	return i;
}

static void describe_site(struct sd_mpi_site *s, const void *caller, const char *name)
{
	const char *path;
	Dl_info info;

	snprintf(s->call, sizeof s->call, "MPI_%s", name);
	s->module = UINT32_MAX;
	s->address = (uint64_t)(uintptr_t)caller;
	if (!dladdr(caller, &info) || !info.dli_fbase)
		return;
	s->address -= (uint64_t)(uintptr_t)info.dli_fbase;
	/* the program itself is named as it was called */
	path = info.dli_fname && info.dli_fname[0] == '/' ? info.dli_fname : own_path;
	if (*path)
		s->module = find_module(path);
}

uint32_t sd_mpi_log_site(const void *caller, unsigned call, const char *name)
{
	static struct {
		const void *caller;
		uint32_t call, site;
	} table[2 * SD_MPI_LOG_SITES];
	const uint64_t h = ((uint64_t)(uintptr_t)caller + call) * 0x9e3779b97f4a7c15ull;
	uint32_t at = (uint32_t)(h >> 40) % (2 * SD_MPI_LOG_SITES), site;

	for (;; at = (at + 1) % (2 * SD_MPI_LOG_SITES)) {
		const void *const c = __atomic_load_n(&table[at].caller, __ATOMIC_ACQUIRE);

		if (c == caller && table[at].call == call)
			return table[at].site;
		if (!c)
			break;
	}
	pthread_mutex_lock(&lock);
	while (table[at].caller && !(table[at].caller == caller && table[at].call == call))
		at = (at + 1) % (2 * SD_MPI_LOG_SITES);
	site = table[at].caller ? table[at].site : sd_mpi_log_head->sites;
	if (!table[at].caller && site < SD_MPI_LOG_SITES) {
		describe_site(&sd_mpi_log_head->site[site], caller, name);
		sd_mpi_log_head->sites = site + 1;
		table[at].site = site;
		table[at].call = call;
		__atomic_store_n(&table[at].caller, caller, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return site < SD_MPI_LOG_SITES ? site : SD_MPI_LOG_SITES - 1;
}

/* The disk has room for the event of that number, or gets it now. 0: it cannot. */
static int has_room(uint32_t at)
{
	uint32_t now = __atomic_load_n(&room, __ATOMIC_ACQUIRE);
	int fd;

	if (at < now || sd_program_sandbox_is())
		return at < now;
	pthread_mutex_lock(&lock);
	now = room;
	fd = at < now ? -1 : open(log_path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	while (at >= now && is_still(fd, &made) &&
		sd_log_room_reserve(fd, sizeof(struct sd_mpi_log) + (uint64_t)now * sizeof *events,
			(uint64_t)ROOM_EVENTS * sizeof *events) == 0)
		now += ROOM_EVENTS;
	if (fd >= 0)
		close(fd);
	__atomic_store_n(&room, now, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return at < now;
}

void sd_mpi_log_add(struct sd_mpi_event *e)
{
	const uint32_t at = __atomic_fetch_add(&sd_mpi_log_head->events, 1, __ATOMIC_RELAXED);

	if (!number)
		number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
	e->thread = (uint16_t)(number - 1);
	if (at >= SD_MPI_LOG_EVENTS || !has_room(at)) {
		/* does not overflow: it stays just above the bound */
		__atomic_store_n(&sd_mpi_log_head->events, SD_MPI_LOG_EVENTS + 1, __ATOMIC_RELAXED);
		return;
	}
	events[at] = *e;
	last_event = at + 1;
}

int sd_mpi_log_extend(const struct sd_mpi_event *e)
{
	struct sd_mpi_event *const last = last_event ? &events[last_event - 1] : NULL;

	if (!last || last->kind != e->kind || last->site != e->site || !last->leave ||
		e->enter - last->leave > POLL_NS || last->peer != e->peer)
		return 0;
	last->leave = e->leave;
	last->held += e->held;
	return 1;
}

void sd_mpi_log_count(uint32_t site, uint64_t ns, uint64_t bytes)
{
	struct sd_mpi_site *const s = &sd_mpi_log_head->site[site];

	__atomic_fetch_add(&s->calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s->ns, ns, __ATOMIC_RELAXED);
	if (bytes)
		__atomic_fetch_add(&s->bytes, bytes, __ATOMIC_RELAXED);
}
