/*
 * A collector of Intel's ITT: the part of it that is linked into programs loads the library which
 * INTEL_LIBITTNOTIFY64 names, and calls what that one has of these functions. It fills its pointers
 * by their names, because the library has __itt_api_version() and no __itt_api_init().
 *
 *   tasks             of the thread, by name: __itt_task_begin(), __itt_task_end()
 *   regions, overlapped tasks     by their identifiers, on any threads
 *   frames            by the name of their domain
 *   events            __itt_event_start(), __itt_event_end()
 *   collection        __itt_resume() to __itt_pause()
 *
 * What is handed over with times of its own (.._ex, __itt_frame_submit_v3()) is not taken: clocks
 * of the program are not known.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "markers/scalediag.h"
#include "preload/open_regions.h"

/* ---- as ITT's header has them ---------------------------------------------------------------- */

struct domain {
	volatile int flags; /* 0: it is disabled */
	const char *name;
	void *wide_name;
	int extra1;
	void *extra2;
	struct domain *next;
};

struct string_handle {
	const char *name;
	void *wide_name;
	int extra1;
	void *extra2;
	struct string_handle *next;
};

struct id {
	unsigned long long d1, d2, d3;
};

/* ---- what a program has made, kept until it ends --------------------------------------------- */

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static struct domain *domains;
static struct string_handle *strings;

EXPORT struct domain *__itt_domain_create(const char *name);
EXPORT struct domain *__itt_domain_create(const char *name)
{
	struct domain *d = NULL;

	if (!name)
		return NULL;
	pthread_mutex_lock(&making);
	for (d = domains; d && strcmp(d->name, name) != 0; d = d->next)
		;
	if (!d && (d = calloc(1, sizeof *d)) != NULL) {
		const char *const copy = strdup(name);

		*d = (struct domain){.flags = 1, .name = copy ? copy : "?", .next = domains};
		domains = d;
	}
	pthread_mutex_unlock(&making);
	return d;
}

EXPORT struct string_handle *__itt_string_handle_create(const char *name);
EXPORT struct string_handle *__itt_string_handle_create(const char *name)
{
	struct string_handle *s = NULL;

	if (!name)
		return NULL;
	pthread_mutex_lock(&making);
	for (s = strings; s && strcmp(s->name, name) != 0; s = s->next)
		;
	if (!s && (s = calloc(1, sizeof *s)) != NULL) {
		const char *const copy = strdup(name);

		*s = (struct string_handle){.name = copy ? copy : "?", .next = strings};
		strings = s;
	}
	pthread_mutex_unlock(&making);
	return s;
}

EXPORT const char *__itt_api_version(void);
EXPORT const char *__itt_api_version(void)
{
	return "3.0";
}

/* ---- tasks of the calling thread ------------------------------------------------------------- */

static const char *name_of(const struct string_handle *name)
{
	return name && name->name ? name->name : "ITT";
}

EXPORT void __itt_task_begin(
	const struct domain *domain, struct id id, struct id parent, struct string_handle *name);
EXPORT void __itt_task_begin(
	const struct domain *domain, struct id id, struct id parent, struct string_handle *name)
{
	(void)domain;
	(void)id;
	(void)parent;
	sd_region_begin(name_of(name));
}

EXPORT void __itt_task_begin_fn(
	const struct domain *domain, struct id id, struct id parent, void *function);
EXPORT void __itt_task_begin_fn(
	const struct domain *domain, struct id id, struct id parent, void *function)
{
	Dl_info at;

	(void)domain;
	(void)id;
	(void)parent;
	sd_region_begin(dladdr(function, &at) && at.dli_sname ? at.dli_sname : "ITT");
}

EXPORT void __itt_task_end(const struct domain *domain);
EXPORT void __itt_task_end(const struct domain *domain)
{
	(void)domain;
	sd_open_end_innermost();
}

/* ---- what is known by an identifier ---------------------------------------------------------- */

enum { A_FRAME = 1, A_REGION, A_TASK, A_COLLECTION };

static struct sd_open_key key_of(const struct domain *domain, unsigned kind, const struct id *id)
{
	struct sd_open_key k = {.a = (uintptr_t)domain ^ (uint64_t)kind << 56};

	if (id)
		k = (struct sd_open_key){k.a, id->d1, id->d2, id->d3};
	return k;
}

#define IDENTIFIED(kind, begin, end)                                                   \
	EXPORT void begin(const struct domain *domain, struct id id, struct id parent, \
		struct string_handle *name);                                           \
	EXPORT void begin(const struct domain *domain, struct id id, struct id parent, \
		struct string_handle *name)                                            \
	{                                                                              \
		const struct sd_open_key k = key_of(domain, kind, &id);                \
                                                                                       \
		(void)parent;                                                          \
		sd_open_begin(&k, name_of(name));                                      \
	}                                                                              \
	EXPORT void end(const struct domain *domain, struct id id);                    \
	EXPORT void end(const struct domain *domain, struct id id)                     \
	{                                                                              \
		const struct sd_open_key k = key_of(domain, kind, &id);                \
                                                                                       \
		sd_open_end(&k);                                                       \
	}
IDENTIFIED(A_REGION, __itt_region_begin, __itt_region_end)
IDENTIFIED(A_TASK, __itt_task_begin_overlapped, __itt_task_end_overlapped)

EXPORT void __itt_frame_begin_v3(const struct domain *domain, struct id *id);
EXPORT void __itt_frame_begin_v3(const struct domain *domain, struct id *id)
{
	const struct sd_open_key k = key_of(domain, A_FRAME, id);

	sd_open_begin(&k, domain && domain->name ? domain->name : "ITT");
}

EXPORT void __itt_frame_end_v3(const struct domain *domain, struct id *id);
EXPORT void __itt_frame_end_v3(const struct domain *domain, struct id *id)
{
	const struct sd_open_key k = key_of(domain, A_FRAME, id);

	sd_open_end(&k);
}

/* Nothing of the run is left out between them: they are a region like others. */
EXPORT void __itt_resume(void);
EXPORT void __itt_resume(void)
{
	const struct sd_open_key k = key_of(NULL, A_COLLECTION, NULL);

	sd_open_begin(&k, "__itt_resume");
}

EXPORT void __itt_pause(void);
EXPORT void __itt_pause(void)
{
	const struct sd_open_key k = key_of(NULL, A_COLLECTION, NULL);

	/* also those of a program that resumes twice */
	while (sd_open_end(&k))
		;
}

/* ---- events: numbered from 1 ----------------------------------------------------------------- */

#define EVENTS 1024

static char event_name[EVENTS][SD_MARKER_NAME];
static int n_event;

EXPORT int __itt_event_create(const char *name, int length);
EXPORT int __itt_event_create(const char *name, int length)
{
	int at = 0;

	if (!name || length < 0)
		return 0;
	pthread_mutex_lock(&making);
	if (n_event < EVENTS) {
		snprintf(event_name[n_event], SD_MARKER_NAME, "%.*s", length, name);
		__atomic_store_n(&n_event, n_event + 1, __ATOMIC_RELEASE);
		at = n_event;
	}
	pthread_mutex_unlock(&making);
	return at;
}

EXPORT int __itt_event_start(int event);
EXPORT int __itt_event_start(int event)
{
	if (event < 1 || event > __atomic_load_n(&n_event, __ATOMIC_ACQUIRE))
		return 1;
	sd_region_begin(event_name[event - 1]);
	return 0;
}

EXPORT int __itt_event_end(int event);
EXPORT int __itt_event_end(int event)
{
	if (event < 1 || event > __atomic_load_n(&n_event, __ATOMIC_ACQUIRE))
		return 1;
	sd_region_end(event_name[event - 1]);
	return 0;
}
