/*
 * A library to preload: tells the software PMU's plugin, or the log of a program that runs by
 * itself, every block that the program's allocator gives, and who asked for it. The allocator stays
 * the program's own. Frees are not told: a block is over when another is given in its place, or its
 * memory unmapped.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "heap/block_log.h"
#include "plugin/heap_call.h"

#define EXPORT __attribute__((visibility("default")))

static void *(*next_malloc)(size_t n);
static void *(*next_calloc)(size_t n, size_t size);
static void *(*next_realloc)(void *p, size_t n);
static void *(*next_memalign)(size_t align, size_t n);
static void *(*next_aligned)(size_t align, size_t n);
static int (*next_posix)(void **p, size_t align, size_t n);
static void *(*next_valloc)(size_t n);
static void (*next_free)(void *p);

/* While its functions are being looked up, what the loader asks for comes from here;
 * never freed. */
static _Alignas(16) unsigned char early[16384];
static size_t early_used;
static int resolving;
static int listening; /* the plugin or the log sets it: without one nothing is told */
static int logging;   /* it is the log's */

EXPORT void *malloc(size_t n);
EXPORT void *calloc(size_t n, size_t size);
EXPORT void *realloc(void *p, size_t n);
EXPORT void *reallocarray(void *p, size_t n, size_t size);
EXPORT void free(void *p);
EXPORT void *memalign(size_t align, size_t n);
EXPORT void *aligned_alloc(size_t align, size_t n);
EXPORT int posix_memalign(void **p, size_t align, size_t n);
EXPORT void *valloc(size_t n);

/* Bounds of this object's code; the linker makes them. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* Never through the C library: errno stays. */
static inline void tell(uintptr_t what, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d)
{
#if defined(__x86_64__)
	register uintptr_t r10 __asm__("r10") = c;
	register uintptr_t r8 __asm__("r8") = d;
	uintptr_t number = SIM_HEAP_CALL;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(what), "S"(a), "d"(b), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register uintptr_t x8 __asm__("x8") = SIM_HEAP_CALL;
	register uintptr_t x0 __asm__("x0") = what;
	register uintptr_t x1 __asm__("x1") = a;
	register uintptr_t x2 __asm__("x2") = b;
	register uintptr_t x3 __asm__("x3") = c;
	register uintptr_t x4 __asm__("x4") = d;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory");
#else
	(void)what, (void)a, (void)b, (void)c, (void)d;
#endif
}

/* In the function that the program called itself: its return address and frame are told. A frame
 * begins with its caller's frame pointer, on x86-64 and aarch64. */
#define TELL(p, n)                                                                                 \
	do {                                                                                       \
		if ((p) && __builtin_expect(listening, 0)) {                                       \
			uintptr_t *const frame = __builtin_frame_address(0);                       \
			if (logging)                                                               \
				block_log_add((uintptr_t)(p), (n),                                 \
					(uintptr_t)__builtin_return_address(0),                    \
					(uintptr_t)__builtin_dwarf_cfa(), *frame);                 \
			else                                                                       \
				tell(SIM_HEAP_BLOCK, (uintptr_t)(p), (n),                          \
					(uintptr_t)__builtin_return_address(0), (uintptr_t)frame); \
		}                                                                                  \
	} while (0)

/* dlsym() gives a pointer to an object: the standard's way to make a function of it. */
static void look_up(void *function, const char *name)
{
	void *const p = dlsym(RTLD_NEXT, name);

	memcpy(function, &p, sizeof p);
}

static int ready(void)
{
	if (next_free)
		return 1;
	if (resolving)
		return 0;
	resolving = 1;
	logging = block_log_open(&listening);
	if (!logging)
		tell(SIM_HEAP_HELLO, (uintptr_t)__ehdr_start, (uintptr_t)etext,
			(uintptr_t)&listening, 0);
	look_up(&next_malloc, "malloc");
	look_up(&next_calloc, "calloc");
	look_up(&next_realloc, "realloc");
	look_up(&next_memalign, "memalign");
	look_up(&next_aligned, "aligned_alloc");
	look_up(&next_posix, "posix_memalign");
	look_up(&next_valloc, "valloc");
	look_up(&next_free, "free");
	resolving = 0;
	if (!logging)
		tell(SIM_HEAP_READY, 0, 0, 0, 0);
	return next_malloc && next_calloc && next_realloc && next_free;
}

static __attribute__((constructor)) void begin(void)
{
	ready();
}

static int is_early(const void *p)
{
	return (const unsigned char *)p >= early && (const unsigned char *)p < early + sizeof early;
}

static void *take_early(size_t n)
{
	void *p = NULL;

	if (n < sizeof early - early_used - 16) {
		p = early + early_used;
		early_used += (n + 15) & ~(size_t)15;
	}
	return p;
}

static void *none(void)
{
	errno = ENOMEM;
	return NULL;
}

void *malloc(size_t n)
{
	void *const p = ready() ? next_malloc(n) : take_early(n);

	TELL(p, n);
	return p;
}

void *calloc(size_t n, size_t size)
{
	void *p;

	if (!ready()) /* the early memory is zero, and is given once */
		return size && n > sizeof early / size ? none() : take_early(n * size);
	p = next_calloc(n, size);
	TELL(p, n * size);
	return p;
}

void *realloc(void *p, size_t n)
{
	void *q;

	if (!ready() || is_early(p)) {
		const size_t left =
			is_early(p) ? (size_t)(early + sizeof early - (unsigned char *)p) : 0;

		q = malloc(n);
		if (q && left)
			memcpy(q, p, n < left ? n : left);
		return q;
	}
	q = next_realloc(p, n);
	TELL(q, n);
	return q;
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;
	void *q;

	if (__builtin_mul_overflow(n, size, &all))
		return none();
	if (!ready() || is_early(p))
		return realloc(p, all);
	q = next_realloc(p, all);
	TELL(q, all);
	return q;
}

void free(void *p)
{
	if (p && !is_early(p) && ready())
		next_free(p);
}

void *memalign(size_t align, size_t n)
{
	void *const p = ready() && next_memalign ? next_memalign(align, n) : none();

	TELL(p, n);
	return p;
}

void *aligned_alloc(size_t align, size_t n)
{
	void *const p = ready() && next_aligned ? next_aligned(align, n) : none();

	TELL(p, n);
	return p;
}

int posix_memalign(void **p, size_t align, size_t n)
{
	const int rc = ready() && next_posix ? next_posix(p, align, n) : ENOMEM;

	if (rc == 0)
		TELL(*p, n);
	return rc;
}

void *valloc(size_t n)
{
	void *const p = ready() && next_valloc ? next_valloc(n) : none();

	TELL(p, n);
	return p;
}
