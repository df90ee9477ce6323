/*
 * Tells what the code at a cause's place is: a parallel loop's body, a lock, a collector, an
 * interpreter.
 */
#include <math.h>
#include <string.h>

#include "advice/advice_facts.h"
#include "analysis/code_place.h"
#include "case/case.h"
#include "evidence/cause_places.h"
#include "hotspots/function_role.h"
#include "hotspots/others_code.h"
#include "hotspots/runtimes.h"

/* Is this a name that compilers or libraries give to the body of a parallel loop? */
static int is_parallel_body(const char *function)
{
	static const char *const part[] = {"._omp_fn.", ".omp_outlined", "tbb::", "rayon"};

	for (size_t i = 0; function && i < sizeof part / sizeof *part; i++)
		if (strstr(function, part[i]))
			return 1;
	return 0;
}

static int has_any(const char *name, const char *const *part)
{
	for (; *part; part++)
		if (strstr(name, *part))
			return 1;
	return 0;
}

/* In a lock of the system's library, or of a language's that was called or inlined there: then
 * the member that is written tells (glibc's, Go's). */
static int is_lock_word(const struct sd_where *w, const char *module)
{
	static const char *const part[] = {"lock", "Lock", "Mutex", "sem_", NULL};
	static const char *const member[] = {
		".__data.__readers", ".__data.__lock", ".readerCount", ".readerWait", NULL};

	if ((w->in && has_any(w->in, part)) || (w->object && has_any(w->object, member)))
		return 1;
	return w->function && sd_others_code_is(module) && has_any(w->function, part);
}

/* Is it the count of references of an object that is shared: libstdc++, libc++, Boost? */
static int is_references(const struct sd_where *w)
{
	static const char *const part[] = {"_Sp_counted", "__shared_count", "__shared_weak_count",
		"sp_counted_base", ">::shared_ptr", ">::~shared_ptr", ">::__shared_ptr", NULL};

	return (w->object && has_any(w->object, part)) || (w->in && has_any(w->in, part));
}

/* Does this place begin a critical section of OpenMP? */
static int is_critical(const struct sd_where *w)
{
	static const char *const part[] = {"GOMP_critical", "__kmpc_critical", NULL};

	return w->in && has_any(w->in, part);
}

/* Does this place hand out a loop's pieces while the loop runs (libgomp, libomp)? */
static int is_chunks(const struct sd_where *w)
{
	static const char *const part[] = {
		"GOMP_loop_", "gomp_iter_", "kmpc_dispatch_next", "kmp_dispatch_next", NULL};

	return (w->in && has_any(w->in, part)) || (w->function && has_any(w->function, part));
}

/* Is this a garbage collector? A HotSpot without symbols has no own code in which one thread works
 * but this, and its compilers, which stop nobody. */
static int is_collector(const struct sd_where *w, const char *module)
{
	const int named = (w->function && sd_code_place_collects(w->function)) ||
			  (w->in && sd_code_place_collects(w->in));

	return named || (strcmp(module, "libjvm.so") == 0 && w->function && w->function[0] == '[');
}

/* Do waits for locks matter? A lock that is the most contended of hardly contended ones is none. */
static int has_lock_waits(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause == SD_CAUSE_LOCK_CONTENTION)
			return a->finding[i].verdict <= SD_VERDICT_POSSIBLE;
	return 0;
}

static const struct {
	enum sd_fact fact;
	unsigned bit;
} language[] = {
	{SD_FACT_GO, SD_RUNTIME_BIT(GO)},
	{SD_FACT_JAVA, SD_RUNTIME_BIT(JAVA)},
	{SD_FACT_JAVASCRIPT, SD_RUNTIME_BIT(NODE)},
	{SD_FACT_PYTHON, SD_RUNTIME_BIT(PYTHON)},
	{SD_FACT_RUST, SD_RUNTIME_BIT(RUST)},
};

/* Code of the system in a program of several languages may be at work for any: it is taken for
 * none's, and words that hold for all do. */
static void language_facts(
	const struct sd_stacks *s, const char *module, struct sd_advice_facts *facts)
{
	unsigned bits = sd_runtimes_of(s, module);

	if (bits & (bits - 1))
		bits = 0;
	facts->value[SD_FACT_NATIVE] = SD_OK(bits == 0);
	for (size_t i = 0; i < sizeof language / sizeof *language; i++)
		facts->value[language[i].fact] = SD_OK((bits & language[i].bit) != 0);
}

/* To wake threads that sleep and to wait for the last takes 10 us and more. */
#define SMALL_REGION_S 20e-6

/* Do its OpenMP regions take so little each, in the runs that logged them? */
static int has_small_regions(const struct sd_record *r)
{
	double entries = 0, elapsed = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_region_run *const log = r->run[i].regions;

		for (size_t k = 0; log && k < log->n_row; k++)
			if (log->row[k].kind == SD_REGION_OPENMP) {
				entries += log->row[k].entries;
				elapsed += log->row[k].elapsed;
			}
	}
	return entries > 0 && elapsed < SMALL_REGION_S * entries;
}

/* By the name that the table of locks gives it. */
static int is_interpreters(const struct sd_lock_row *l)
{
	return l->name && strncmp(l->name, "GIL,", 4) == 0;
}

/* Is what runs alone seen to hold the lock that others wait for? Code that runs before there are
 * others, or while they wait for something else, is not slow for the lock. Holders that nobody saw
 * may be any. */
static int is_held_alone(const struct sd_finding *f, const struct sd_lock_row *l)
{
	if (f->cause != SD_CAUSE_SERIAL_CODE || !l->n_holder || !f->n_where ||
		!f->where[0].function)
		return 1;
	for (size_t i = 0; i < l->n_holder; i++)
		if (l->holder[i].function &&
			strcmp(l->holder[i].function, f->where[0].function) == 0)
			return 1;
	return 0;
}

void sd_advice_facts_place(
	const struct sd_case *c, const struct sd_finding *f, struct sd_advice_facts *facts)
{
	const struct sd_where *const w = f->n_where ? &f->where[0] : NULL;
	const struct sd_lock_row none = {0}, *const lock = c->a->n_lock ? &c->a->lock[0] : &none;
	const char *const module = w && w->module ? w->module : "";
	const char *const slash = strrchr(module, '/'), *const name = slash ? slash + 1 : module;

	facts->value[SD_FACT_LOCK_WORD] = SD_OK(w && is_lock_word(w, module));
	facts->value[SD_FACT_REFERENCES] = SD_OK(w && is_references(w));
	facts->value[SD_FACT_CRITICAL] = SD_OK(
		(w && is_critical(w)) || (lock->n_waiter > 0 && is_critical(&lock->waiter[0])));
	facts->value[SD_FACT_SMALL_REGIONS] = SD_OK(has_small_regions(c->record));
	facts->value[SD_FACT_CHUNKS] = SD_OK(w && is_chunks(w));
	language_facts(&c->record->stacks, w ? w->module : NULL, facts);
	facts->value[SD_FACT_MESSAGES] = SD_OK(fmax(0, sd_cause_places_messages(c, f->cause)));
	/* what is called there is the lock, whatever a library's function waited for beside it */
	if (f->cause == SD_CAUSE_LOCK_CONTENTION && w && w->in && sd_function_role_locks(w->in))
		facts->value[SD_FACT_LIBRARY_LOCK] = SD_OK(0);
	facts->value[SD_FACT_IN_LOCK] = SD_OK(fmax(0, sd_cause_places_locking(c, f->cause)));
	facts->value[SD_FACT_MAKING] =
		SD_OK(c->spread->now ? fmax(0, sd_cause_places_tasking(c, f->cause)) : 0);
	facts->value[SD_FACT_COLLECTOR] = SD_OK(w && is_collector(w, name));
	facts->value[SD_FACT_PARALLEL_BODY] = SD_OK(is_parallel_body(w ? w->function : NULL));
	facts->value[SD_FACT_PARALLEL_CALLER] =
		SD_OK(w && !is_parallel_body(w->function) && is_parallel_body(w->from));
	/* a program of C that holds an interpreter waits for that one's lock in code of its own */
	facts->value[SD_FACT_INTERPRETER_LOCK] =
		SD_OK((facts->value[SD_FACT_PYTHON].value > 0 || is_interpreters(lock)) &&
			sd_has(facts->value[SD_FACT_RUNTIME_LOCK]) &&
			facts->value[SD_FACT_RUNTIME_LOCK].value > 0 && has_lock_waits(c->a) &&
			is_held_alone(f, lock));
}
