/*
 * The library preloaded into programs that have markers of other tools: their functions, noted as
 * regions and progress of scalediag.h. Whatever else they do, the tool's own library does, when it
 * is there.
 *
 *   likwid            likwid_markerStartRegion(), likwid_markerStopRegion()
 *   Caliper           cali_begin_region(), cali_end_region() and their like; caliper_annotations.c
 *   ITT               itt_collector.c
 *   Kokkos Tools      kokkosp_push_profile_region() and the kernels of parallel_for and its like
 *   MPI               MPI_Pcontrol(1) to MPI_Pcontrol(0)
 *   OpenMP            omp_control_tool(omp_control_tool_start, ...) to ..._pause or ..._end
 *   coz               COZ_PROGRESS_NAMED(): progress
 */
#include <dlfcn.h>

#include "markers/scalediag.h"
#include "preload/open_regions.h"

/* ---- regions that are begun and ended by name ------------------------------------------------ */

#define NAMED(result, name, what)                                    \
	EXPORT result name(const char *region);                      \
	EXPORT result name(const char *region)                       \
	{                                                            \
		static result (*real)(const char *);                 \
		static int looked;                                   \
                                                                     \
		if (!looked) {                                       \
			*(void **)(&real) = dlsym(RTLD_NEXT, #name); \
			looked = 1;                                  \
		}                                                    \
		what(region);                                        \
		return real ? real(region) : (result)0;              \
	}
NAMED(int, likwid_markerStartRegion, sd_region_begin)
NAMED(int, likwid_markerStopRegion, sd_region_end)
NAMED(void, cali_begin_region, sd_region_begin)
NAMED(void, cali_end_region, sd_region_end)
NAMED(void, cali_begin_phase, sd_region_begin)
NAMED(void, cali_end_phase, sd_region_end)
NAMED(void, cali_begin_comm_region, sd_region_begin)
NAMED(void, cali_end_comm_region, sd_region_end)

/* ---- Kokkos: what ends has no name ----------------------------------------------------------- */

EXPORT void kokkosp_push_profile_region(const char *name);
EXPORT void kokkosp_push_profile_region(const char *name)
{
	sd_region_begin(name);
}

EXPORT void kokkosp_pop_profile_region(void);
EXPORT void kokkosp_pop_profile_region(void)
{
	sd_open_end_innermost();
}

#define KERNEL(kind)                                                                           \
	EXPORT void kokkosp_begin_##kind(const char *name, uint32_t device, uint64_t *number); \
	EXPORT void kokkosp_begin_##kind(const char *name, uint32_t device, uint64_t *number)  \
	{                                                                                      \
		(void)device;                                                                  \
		*number = 0;                                                                   \
		sd_region_begin(name);                                                         \
	}                                                                                      \
	EXPORT void kokkosp_end_##kind(uint64_t number);                                       \
	EXPORT void kokkosp_end_##kind(uint64_t number)                                        \
	{                                                                                      \
		(void)number;                                                                  \
		sd_open_end_innermost();                                                       \
	}
KERNEL(parallel_for)
KERNEL(parallel_reduce)
KERNEL(parallel_scan)

/* ---- MPI ------------------------------------------------------------------------------------- */

static void note_level(int level)
{
	if (level)
		sd_region_begin("MPI_Pcontrol");
	else
		sd_region_end("MPI_Pcontrol");
}

EXPORT int MPI_Pcontrol(const int level, ...);
EXPORT int MPI_Pcontrol(const int level, ...)
{
	note_level(level);
	return 0; /* MPI has it do nothing */
}

EXPORT void mpi_pcontrol_(const int *level);
EXPORT void mpi_pcontrol_(const int *level)
{
	note_level(*level);
}

/* ---- OpenMP 5.1, 3.14 ------------------------------------------------------------------------ */

enum { START = 1, PAUSE = 2, END = 4 };

EXPORT int omp_control_tool(int command, int modifier, void *arg);
EXPORT int omp_control_tool(int command, int modifier, void *arg)
{
	int (*real)(int command, int modifier, void *arg);

	if (command == START)
		sd_region_begin("omp_control_tool");
	else if (command == PAUSE || command == END)
		sd_region_end("omp_control_tool");
	*(void **)(&real) = dlsym(RTLD_NEXT, "omp_control_tool");
	return real ? real(command, modifier, arg) : 0;
}

/* ---- coz ------------------------------------------------------------------------------------- */

#define COZ_THROUGHPUT 1

/* As coz has it; a slot of ours begins with two such words. */
struct coz_counter {
	size_t count, backoff;
};

EXPORT struct coz_counter *_coz_get_counter(int type, const char *name);
EXPORT struct coz_counter *_coz_get_counter(int type, const char *name)
{
	struct sd_marker_row *const row =
		type == COZ_THROUGHPUT && sd_marker_is_on() ? sd_marker_find(name, 0) : NULL;
	void *const slot = row ? &row->slot[0] : NULL;

	return slot;
}
