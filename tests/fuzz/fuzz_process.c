/*
 * A process's folder in /proc, all of it the process's to write as it likes: signs of a change in
 * it, what it maps, CPython in its file, and Java in its names. The first byte chooses who reads,
 * the rest is every file.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native/data_maps.h"
#include "python/python_program.h"
#include "resolve/jvm_names.h"
#include "witness/process_sign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[64], folder[96], file[128], task[128];
static const char *const same[] = {"environ", "auxv", "status", "smaps_rollup", "numa_maps",
	"statm", "exe", "cmdline", "maps"};
enum { SAME = sizeof same / sizeof *same };

static void must(int holds)
{
	if (!holds)
		abort();
}

static void name_file(char path[160], const char *name)
{
	must(snprintf(path, 160, "%s/%s", folder, name) < 160);
}

static void remove_root(void)
{
	char path[160];

	for (size_t i = 0; i < SAME; i++) {
		name_file(path, same[i]);
		(void)remove(path);
	}
	name_file(path, "root");
	(void)remove(path);
	(void)remove(file);
	(void)rmdir(folder);
	snprintf(path, sizeof path, "%s/proc", root);
	(void)rmdir(path);
	(void)rmdir(root);
}

static void make_root(void)
{
	char path[160];

	strcpy(root, "/dev/shm/fuzz-process-XXXXXX");
	must(mkdtemp(root) != NULL && atexit(remove_root) == 0);
	snprintf(path, sizeof path, "%s/proc", root);
	must(mkdir(path, 0700) == 0);
	snprintf(folder, sizeof folder, "%s/%d", path, (int)getpid());
	must(mkdir(folder, 0700) == 0);
	snprintf(file, sizeof file, "%s/file", folder);
	snprintf(task, sizeof task, "7f0000000000-7f0000001000 r-xp 00000000 08:01 7 %s\n", file);
	for (size_t i = 0; i < SAME; i++) {
		name_file(path, same[i]);
		must(symlink(file, path) == 0);
	}
	name_file(path, "root");
	must(symlink("/", path) == 0);
}

static void put(const char *path, const void *text, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, text, size) == (ssize_t)size && close(fd) == 0);
}

static void see_signs(void)
{
	static const char *const library[] = {"libscalediag-pad.so", "libjemalloc-", NULL};
	static const struct sd_environment_setting variable[] = {{"OMP_WAIT_POLICY", "passive", 0},
		{"GLIBC_TUNABLES", "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0", 1}, {0}};
	static unsigned cpu[] = {0, 1, 2, 3};
	static const struct sd_cpulist cpus = {cpu, 4};
	const struct sd_process_sign w = {.signs = (1u << SD_PROCESS_SIGN_INDEX_COUNT) - 1,
		.library = library,
		.variable = variable,
		.cpus = &cpus};
	int unreadable;

	must((sd_process_sign_lacks(&w, folder, &unreadable) & ~w.signs) == 0 && !unreadable);
}

static void see_maps(void)
{
	struct sd_data_maps m = {0};
	struct sd_code_copies code = {0};
	char name[256];

	must(sd_data_maps_look(&m, &code, root, getpid()) == 0 && m.n <= SD_DATA_MAPS_MOST);
	for (size_t i = 0; i < m.n; i++) {
		must(m.map[i].start <= m.map[i].end);
		sd_data_maps_name(&m.map[i], m.map[i].start, name, sizeof name);
	}
	sd_data_maps_free(&m);
	sd_code_copies_free(&code);
}

/* Its file is what it has mapped, and its program. */
static void see_python(void)
{
	static const struct sd_python_layouts none = {0};
	struct sd_python_program out;
	char path[160];

	name_file(path, "maps");
	must(unlink(path) == 0);
	put(path, task, strlen(task));
	must(sd_python_program_find(root, getpid(), &none, &out) != 0);
	must(unlink(path) == 0 && symlink(file, path) == 0);
}

/* Two looks, that of the meeting is the last: nobody is called. */
static void see_java(void)
{
	struct sd_jvm_names j = {.root = root, .pid = getpid()};

	sd_jvm_names_look(&j, 1);
	sd_jvm_names_look(&j, UINT64_C(1000000000));
	must(j.n <= 1 && (j.n == 0 || j.vm[0].state == SD_JVM_NAMES_MET ||
				 j.vm[0].state == SD_JVM_NAMES_NEVER));
	sd_jvm_names_end(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const see[])(void) = {see_signs, see_maps, see_python, see_java};

	if (!size)
		return 0;
	if (!*root)
		make_root();
	put(file, data + 1, size - 1);
	see[data[0] % (sizeof see / sizeof *see)]();
	return 0;
}
