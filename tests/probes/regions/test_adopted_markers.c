/*
 * Markers of other tools are regions and progress, by the library preloaded into their programs.
 * The program is this file once more, with the functions that those tools declare.
 */
#include "regions/marker_regions.h"

#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/built_file.h"

#define SD_MARKER_LAYOUT_ONLY
#include "markers/scalediag.h"

static void compute(void)
{
	for (volatile unsigned i = 0; i < 20000; i++)
		;
}

/* What is not there is not called: then the regions are missing. */
static void *function(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

static void by_name(const char *name, const char *region)
{
	int (*call)(const char *);

	*(void **)(&call) = function(name);
	if (call)
		call(region);
}

static void by_level(int level)
{
	int (*call)(const int, ...);

	*(void **)(&call) = function("MPI_Pcontrol");
	if (call)
		call(level);
}

static void by_command(int command)
{
	int (*call)(int, int, void *);

	*(void **)(&call) = function("omp_control_tool");
	if (call)
		call(command, 0, NULL);
}

static void kernel_in_region(void)
{
	void (*begin)(const char *, uint32_t, uint64_t *);
	void (*end)(uint64_t), (*pop)(void);
	uint64_t kernel = 7;

	*(void **)(&begin) = function("kokkosp_begin_parallel_for");
	*(void **)(&end) = function("kokkosp_end_parallel_for");
	*(void **)(&pop) = function("kokkosp_pop_profile_region");
	by_name("kokkosp_push_profile_region", "by Kokkos");
	if (!begin || !end || !pop)
		return;
	begin("axpy", 0, &kernel);
	compute();
	end(kernel);
	pop();
}

struct coz {
	size_t count, backoff;
};

static int run_program(void)
{
	struct coz *(*coz)(int type, const char *name);

	for (int i = 0; i < 3; i++) {
		by_name("likwid_markerStartRegion", "by likwid");
		compute();
		by_name("likwid_markerStopRegion", "by likwid");
	}
	by_name("cali_begin_region", "by Caliper");
	compute();
	by_name("cali_end_region", "by Caliper");
	kernel_in_region();
	by_level(1);
	compute();
	by_level(0);
	for (int i = 0; i < 2; i++) {
		by_command(1);
		compute();
		by_command(i ? 4 : 2);
	}
	*(void **)(&coz) = function("_coz_get_counter");
	if (coz && coz(1, "by coz"))
		coz(1, "by coz")->count += 5;
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run_and_look(void)
{
	static const struct {
		const char *name;
		double entries;
	} expected[] = {{"by likwid", 3}, {"by Caliper", 1}, {"by Kokkos", 1}, {"axpy", 1},
		{"MPI_Pcontrol", 1}, {"omp_control_tool", 2}};
	char path[] = "/tmp/scalediag-regions-XXXXXX", markers[128], preload[PATH_MAX + 160];
	char self[] = "program", how[] = "--program", *argv[] = {self, how, NULL};
	char *envp[] = {markers, preload, NULL};
	const uint64_t from = now_ns();
	struct sd_marker_file *const file = malloc(sizeof *file);
	struct sd_region_run run = {0};
	const int fd = mkstemp(path);
	double progress = 0;
	int status;
	pid_t pid;

	assert_true(fd >= 0);
	assert_non_null(file);
	snprintf(markers, sizeof markers, "SCALEDIAG_MARKERS=%s", path);
	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", built("scalediag-markers.so"));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		execve("/proc/self/exe", argv, envp);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(pread(fd, file, sizeof *file, 0), sizeof *file);
	close(fd);
	assert_int_equal(sd_marker_regions_take(path, from, now_ns(), "", &run), 0);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		const struct sd_region_time *const r =
			sd_region_run_find(&run, SD_REGION_MARKED, expected[i].name, 0);

		assert_non_null(r);
		assert_true(r->entries == expected[i].entries);
		assert_true(r->elapsed > 0 && r->unmatched == 0 && r->unended == 0);
	}
	for (unsigned i = 0; i < SD_MARKER_ROWS; i++)
		if (file->row[i].state == SD_MARKER_READY && !file->row[i].process &&
			strcmp(file->row[i].name, "by coz") == 0)
			progress += (double)file->row[i].slot[0].count;
	assert_true(progress == 5);
	free(run.row);
	free(file);
}

static void they_are_regions_and_progress(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	print_message("SKIP: a sanitizer's runtime is to be loaded first of all\n");
	skip();
#endif
	run_and_look();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(they_are_regions_and_progress)};

	if (argc > 1 && strcmp(argv[1], "--program") == 0)
		return run_program();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
