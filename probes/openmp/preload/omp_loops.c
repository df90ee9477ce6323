/*
 * Threads that ask for the next piece of a loop. They may do so for every iteration, so that only
 * some are timed (omp_pace.h).
 */
#include "preload/omp_pace.h"
#include "preload/omp_preload.h"

#include <stdbool.h>

typedef unsigned long long ull;

static __thread struct sd_omp_pace pace;

static void asked(struct sd_omp_member *m, uint64_t since)
{
	if (since)
		m->scheduling += sd_omp_pace_after(&pace, m, since);
}

#define ASK(name, result, parameters, types, ...)                                            \
	static result(*name##_real) types;                                                   \
	__attribute__((noinline)) static result name##_timed parameters                      \
	{                                                                                    \
		struct sd_omp_member *const m = sd_omp_member;                               \
		const uint64_t since = sd_omp_pace_before(&pace, m);                         \
		result out;                                                                  \
		SD_OMP_REAL(name, result, types);                                            \
                                                                                             \
		__atomic_store_n(&name##_real, real, __ATOMIC_RELAXED);                      \
		out = real(__VA_ARGS__);                                                     \
		asked(m, since);                                                             \
		return out;                                                                  \
	}                                                                                    \
	SD_OMP_EXPORT result name parameters;                                                \
	SD_OMP_EXPORT result name parameters                                                 \
	{                                                                                    \
		if (sd_omp_pace_passes(&pace) && name##_real)                                \
			return __atomic_load_n(&name##_real, __ATOMIC_RELAXED)(__VA_ARGS__); \
		return name##_timed(__VA_ARGS__);                                            \
	}

#define NEXT(name)                                                                             \
	ASK(GOMP_loop_##name##_next, bool, (long *from, long *to), (long *, long *), from, to) \
	ASK(GOMP_loop_ull_##name##_next, bool, (ull * from, ull * to), (ull *, ull *), from, to)
#define LOOP(name)                                                                           \
	NEXT(name)                                                                           \
	ASK(GOMP_loop_##name##_start, bool,                                                  \
		(long start, long end, long step, long chunk, long *from, long *to),         \
		(long, long, long, long, long *, long *), start, end, step, chunk, from, to) \
	ASK(GOMP_loop_ull_##name##_start, bool,                                              \
		(bool up, ull start, ull end, ull step, ull chunk, ull *from, ull *to),      \
		(bool, ull, ull, ull, ull, ull *, ull *), up, start, end, step, chunk, from, to)
#define LOOP_AT_RUN_TIME(name)                                                  \
	NEXT(name)                                                              \
	ASK(GOMP_loop_##name##_start, bool,                                     \
		(long start, long end, long step, long *from, long *to),        \
		(long, long, long, long *, long *), start, end, step, from, to) \
	ASK(GOMP_loop_ull_##name##_start, bool,                                 \
		(bool up, ull start, ull end, ull step, ull *from, ull *to),    \
		(bool, ull, ull, ull, ull *, ull *), up, start, end, step, from, to)

LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
LOOP_AT_RUN_TIME(runtime)
LOOP_AT_RUN_TIME(nonmonotonic_runtime)
LOOP_AT_RUN_TIME(maybe_nonmonotonic_runtime)

/* of LLVM's runtime, of any kind of loop */
#define DISPATCH(name, number)                                                                     \
	ASK(name, int,                                                                             \
		(void *where, int thread, int *last, number *from, number *to, number *step),      \
		(void *, int, int *, number *, number *, number *), where, thread, last, from, to, \
		step)
DISPATCH(__kmpc_dispatch_next_4, int32_t)
DISPATCH(__kmpc_dispatch_next_4u, uint32_t)
DISPATCH(__kmpc_dispatch_next_8, int64_t)
DISPATCH(__kmpc_dispatch_next_8u, uint64_t)

ASK(GOMP_sections_start, unsigned, (unsigned count), (unsigned), count)
ASK(GOMP_sections_next, unsigned, (void), (void))
