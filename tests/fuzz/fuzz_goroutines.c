/*
 * A program's file of any bytes, which are its memory as well: whether it is Go's, where its
 * goroutines wait, and what is kept of them.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resolve/goroutines.h"
#include "symbols/task_runtimes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE UINT64_C(0x200000000000) /* not in the address sanitizer's shadow */
#define MOST 65536u

static char root[64];
static int program = -1;
static unsigned char *memory;

static void must(int holds)
{
	if (!holds)
		abort();
}

static void remove_root(void)
{
	char path[128];
	static const char *const name[] = {"exe", "auxv", ""};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		snprintf(path, sizeof path, "%s/proc/%d/%s", root, (int)getpid(), name[i]);
		(void)remove(path);
	}
	snprintf(path, sizeof path, "%s/proc", root);
	(void)rmdir(path);
	(void)rmdir(root);
}

/* A /proc whose process is this one, with another program, which is loaded at BASE. */
static void make_root(void)
{
	const Elf64_auxv_t aux[] = {{AT_ENTRY, {BASE}}, {AT_NULL, {0}}};
	char path[128], link[64];
	int fd;

	program = memfd_create("program", MFD_CLOEXEC);
	strcpy(root, "/tmp/fuzz-goroutines-XXXXXX");
	must(program >= 0 && mkdtemp(root) != NULL && atexit(remove_root) == 0);
	snprintf(path, sizeof path, "%s/proc", root);
	must(mkdir(path, 0700) == 0);
	snprintf(path, sizeof path, "%s/proc/%d", root, (int)getpid());
	must(mkdir(path, 0700) == 0);
	snprintf(path, sizeof path, "%s/proc/%d/exe", root, (int)getpid());
	snprintf(link, sizeof link, "/proc/self/fd/%d", program);
	must(symlink(link, path) == 0);
	snprintf(path, sizeof path, "%s/proc/%d/auxv", root, (int)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	must(fd >= 0 && write(fd, aux, sizeof aux) == (ssize_t)sizeof aux && close(fd) == 0);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	memory = mmap((void *)(uintptr_t)BASE, MOST, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	must((uintptr_t)memory == BASE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int pid = getpid();
	struct sd_goroutines g = {0};
	const uint64_t *pc;

	if (program < 0)
		make_root();
	if (!size || size > MOST)
		return 0;
	memcpy(memory, data, size);
	memset(memory + size, 0, MOST - size);
	must(ftruncate(program, 0) == 0 && pwrite(program, data, size, 0) == (ssize_t)size);
	(void)sd_task_runtimes_runs(root, pid);
	sd_goroutines_again(&g, root, pid);
	for (uint64_t now = 1; now < 300000000; now += 100000000)
		sd_goroutines_look(&g, now);
	for (size_t i = 0; i < g.n_seen; i++)
		must(g.seen[i].n <= SD_GOROUTINES_DEPTH && g.seen[i].at + g.seen[i].n <= g.n_pc);
	for (size_t i = 0; i < g.n_seen && i < 8; i++)
		must(sd_goroutines_find(&g, pid, g.seen[i].g, 100000000, &pc) <=
			SD_GOROUTINES_DEPTH);
	sd_goroutines_free(&g);
	return 0;
}
