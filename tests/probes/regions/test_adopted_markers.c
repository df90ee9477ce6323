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
#include "support/file_sandbox.h"

#define SD_MARKER_LAYOUT_ONLY
#include "markers/scalediag.h"

static void compute(void)
{
	for (volatile unsigned i = 0; i < 20000; i++)
		;
}

/* A missing function is not called: then the regions are missing. */
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

/* As the part of ITT that is linked into programs does: its header's types, and the functions of
 * the library that INTEL_LIBITTNOTIFY64 names, by their names. */
struct itt_id {
	unsigned long long d1, d2, d3;
};

static void itt(void)
{
	static const struct itt_id none = {0, 0, 0};
	const struct itt_id one = {1, 2, 3}, two = {1, 2, 4};
	void *const library = dlopen(getenv("INTEL_LIBITTNOTIFY64"), RTLD_LAZY);
	void *(*domain_create)(const char *), *(*name_create)(const char *), *domain;
	void (*begin)(const void *, struct itt_id, struct itt_id, void *), (*end)(const void *);
	void (*lap_begin)(const void *, struct itt_id, struct itt_id, void *);
	void (*lap_end)(const void *, struct itt_id);
	void (*frame_begin)(const void *, const struct itt_id *);
	void (*frame_end)(const void *, const struct itt_id *);
	void (*resume)(void), (*halt)(void);
	int (*event_create)(const char *, int), (*event_start)(int), (*event_end)(int), event;

#define FIND(pointer, name)                                    \
	do {                                                   \
		*(void **)(&(pointer)) = dlsym(library, name); \
		if (!(pointer))                                \
			return;                                \
	} while (0)
	if (!library || dlsym(library, "__itt_api_init") || !dlsym(library, "__itt_api_version"))
		return;
	FIND(domain_create, "__itt_domain_create");
	FIND(name_create, "__itt_string_handle_create");
	FIND(begin, "__itt_task_begin");
	FIND(end, "__itt_task_end");
	FIND(lap_begin, "__itt_task_begin_overlapped");
	FIND(lap_end, "__itt_task_end_overlapped");
	FIND(frame_begin, "__itt_frame_begin_v3");
	FIND(frame_end, "__itt_frame_end_v3");
	FIND(resume, "__itt_resume");
	FIND(halt, "__itt_pause");
	FIND(event_create, "__itt_event_create");
	FIND(event_start, "__itt_event_start");
	FIND(event_end, "__itt_event_end");
#undef FIND
	domain = domain_create("ITT's frames");
	if (!domain || domain != domain_create("ITT's frames") || *(int *)domain == 0)
		return;
	resume();
	for (int i = 0; i < 3; i++) {
		frame_begin(domain, NULL);
		begin(domain, none, none, name_create("ITT's task"));
		compute();
		end(domain);
		frame_end(domain, NULL);
	}
	/* of one name and not: in each other's time */
	lap_begin(domain, one, none, name_create("ITT's first"));
	lap_begin(domain, two, none, name_create("ITT's second"));
	compute();
	lap_end(domain, one);
	compute();
	lap_end(domain, two);
	lap_end(domain, two);
	halt();
	event = event_create("ITT's event and more", 11);
	event_start(event);
	compute();
	event_end(event);
}

/* As g++ has a program call a shared libcaliper. An annotation holds a pointer. */
static void caliper(void)
{
	void *self = &self, *loop = &loop;
	const struct {
		uint64_t type_and_size;
		const char *text;
	} text = {4 | UINT64_C(9) << 32, "C++ value of a text"}, number = {2, NULL};
	void (*named)(void *, const char *), (*plain)(void *), (*make)(void *, const char *, int);
	void *(*begin)(void *), *(*begin_value)(void *, const void *);

#define CALL(pointer, name, ...)                         \
	do {                                             \
		*(void **)(&(pointer)) = function(name); \
		if (!(pointer))                          \
			return;                          \
		(pointer)(__VA_ARGS__);                  \
	} while (0)
	CALL(named, "_ZN4cali8FunctionC1EPKc", &self, "C++ function");
	CALL(named, "_ZN4cali15ScopeAnnotationC1EPKc", &self, "C++ scope");
	CALL(named, "_ZN4cali4LoopC1EPKc", &loop, "C++ loop");
	CALL(make, "_ZN4cali10AnnotationC1EPKci", &self, "C++ annotation", 0);
	CALL(begin, "_ZN4cali10Annotation5beginEv", &self);
	CALL(begin_value, "_ZN4cali10Annotation5beginERKNS_7VariantE", &self, &text);
	compute();
	CALL(plain, "_ZN4cali10Annotation3endEv", &self);
	CALL(plain, "_ZN4cali10Annotation5GuardD1Ev", &self);
	CALL(begin_value, "_ZN4cali10Annotation5beginERKNS_7VariantE", &self, &number);
	CALL(plain, "_ZN4cali10Annotation3endEv", &self);
	CALL(plain, "_ZN4cali4Loop3endEv", &loop);
	CALL(plain, "_ZN4cali4LoopD1Ev", &loop);
	CALL(plain, "_ZN4cali15ScopeAnnotationD1Ev", &self);
	CALL(plain, "_ZN4cali8FunctionD1Ev", &self);
#undef CALL
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
	by_name("cali_begin_phase", "a phase");
	compute();
	by_name("cali_end_phase", "a phase");
	caliper();
	itt();
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

static double elapsed(const struct sd_region_run *run, const char *name)
{
	const struct sd_region_time *const r = sd_region_run_find(run, SD_REGION_MARKED, name, 0);

	assert_non_null(r);
	return r->elapsed;
}

static void run_and_look(const char *mode)
{
	static const struct {
		const char *name;
		double entries;
	} expected[] = {{"by likwid", 3}, {"by Caliper", 1}, {"by Kokkos", 1}, {"axpy", 1},
		{"MPI_Pcontrol", 1}, {"omp_control_tool", 2}, {"a phase", 1}, {"C++ function", 1},
		{"C++ scope", 1}, {"C++ loop", 1}, {"C++ annotation", 1}, {"C++ value", 1},
		{"ITT's task", 3}, {"ITT's frames", 3}, {"ITT's first", 1}, {"ITT's second", 1},
		{"ITT's event", 1}, {"__itt_resume", 1}};
	char path[] = "/tmp/scalediag-regions-XXXXXX", markers[128], preload[PATH_MAX + 160];
	char collector[PATH_MAX + 160];
	char self[] = "program", how[32], *argv[] = {self, how, NULL};
	char *envp[] = {markers, preload, collector, NULL};
	const uint64_t from = now_ns();
	struct sd_marker_file *const file = malloc(sizeof *file);
	struct sd_region_run run = {0};
	const int fd = mkstemp(path);
	double progress = 0;
	int status;
	pid_t pid;

	assert_true(fd >= 0);
	assert_non_null(file);
	snprintf(how, sizeof how, "%s", mode);
	snprintf(markers, sizeof markers, "SCALEDIAG_MARKERS=%s", path);
	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", built("scalediag-markers.so"));
	snprintf(collector, sizeof collector, "INTEL_LIBITTNOTIFY64=%s",
		built("scalediag-markers.so"));
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
	/* what is in another one's time, also past its end */
	assert_true(elapsed(&run, "ITT's second") > 0 &&
		    elapsed(&run, "__itt_resume") >=
			    elapsed(&run, "ITT's frames") + elapsed(&run, "ITT's second"));
	assert_true(elapsed(&run, "ITT's frames") >= elapsed(&run, "ITT's task"));
	assert_null(sd_region_run_find(&run, SD_REGION_MARKED, "C++ value of a text", 0));
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
	run_and_look("--program");
	run_and_look("--sandboxed"); /* what it needs is opened before main() */
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(they_are_regions_and_progress)};

	if (argc > 1 && strcmp(argv[1], "--sandboxed") == 0)
		(void)!file_sandbox_enter();
	if (argc > 1)
		return run_program();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
