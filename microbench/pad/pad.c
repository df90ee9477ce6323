/*
 * A library to preload: every allocation gets 128-byte blocks of its own, so that no two of them
 * share a cache line, nor the pair of lines that some processors fetch together. All else is the
 * allocator's that the program has anyway: what changes the time is the padding.
 *
 * Of the memory that the allocator behind gives (raw), the user's part begins at a multiple of 128
 * and is a multiple of 128 long; just before it is where it came from. Neither the allocator's own
 * words nor ours are in a block that belongs to a user.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define BLOCK ((size_t)128)

/* Before the user's memory. */
struct head {
	void *raw;
	size_t size; /* as asked */
};

/* The allocator behind. Set before the program's first thread: the loader allocates. */
static void *(*next_malloc)(size_t n);
static void *(*next_calloc)(size_t n, size_t size);
static void *(*next_realloc)(void *p, size_t n);
static void (*next_free)(void *p);

/* While its functions are being looked up, what the loader asks for comes from here;
 * never freed. */
static _Alignas(128) unsigned char early[65536];
static size_t early_used;
static int resolving;

EXPORT void *malloc(size_t n);
EXPORT void *calloc(size_t n, size_t size);
EXPORT void *realloc(void *p, size_t n);
EXPORT void *reallocarray(void *p, size_t n, size_t size);
EXPORT void free(void *p);
EXPORT void *memalign(size_t align, size_t n);
EXPORT void *aligned_alloc(size_t align, size_t n);
EXPORT int posix_memalign(void **p, size_t align, size_t n);
EXPORT void *valloc(size_t n);
EXPORT void *pvalloc(size_t n);
EXPORT size_t malloc_usable_size(void *p);

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
	look_up(&next_malloc, "malloc");
	look_up(&next_calloc, "calloc");
	look_up(&next_realloc, "realloc");
	look_up(&next_free, "free");
	resolving = 0;
	return next_malloc && next_calloc && next_realloc && next_free;
}

static int is_early(const void *p)
{
	return (const unsigned char *)p >= early && (const unsigned char *)p < early + sizeof early;
}

static struct head *head_of(void *p)
{
	return (struct head *)p - 1;
}

/* Bytes of the user's part: whole blocks, at least one. */
static size_t rounded(size_t n)
{
	return n ? (n + BLOCK - 1) / BLOCK * BLOCK : BLOCK;
}

/* Bytes to ask the C library for; 0: too much. */
static size_t total(size_t n, size_t align)
{
	if (n > PTRDIFF_MAX - 2 * BLOCK || align > PTRDIFF_MAX / 4 ||
		rounded(n) > PTRDIFF_MAX - sizeof(struct head) - align)
		return 0;
	return sizeof(struct head) + align - 1 + rounded(n);
}

static void *place(void *raw, size_t n, size_t align)
{
	uintptr_t at;
	void *p;

	if (!raw)
		return NULL;
	at = ((uintptr_t)raw + sizeof(struct head) + align - 1) / align * align;
	p = (unsigned char *)raw + (at - (uintptr_t)raw);
	*head_of(p) = (struct head){raw, n};
	return p;
}

static void *take_early(size_t n)
{
	void *p = NULL;

	if (n <= sizeof early - early_used - BLOCK && early_used + BLOCK < sizeof early) {
		p = place(early + early_used, n, BLOCK);
		early_used += BLOCK + rounded(n);
	}
	return p;
}

static void *take(size_t n, size_t align)
{
	const size_t bytes = total(n, align);

	if (!ready())
		return take_early(n);
	if (!bytes) {
		errno = ENOMEM;
		return NULL;
	}
	return place(next_malloc(bytes), n, align);
}

void *malloc(size_t n)
{
	return take(n, BLOCK);
}

void *calloc(size_t n, size_t size)
{
	size_t all, bytes;

	if (__builtin_mul_overflow(n, size, &all) || !(bytes = total(all, BLOCK))) {
		errno = ENOMEM;
		return NULL;
	}
	/* the early memory is zero, and is given once */
	return ready() ? place(next_calloc(1, bytes), all, BLOCK) : take_early(all);
}

void free(void *p)
{
	if (p && !is_early(p) && ready())
		next_free(head_of(p)->raw);
}

/* Moves what the allocator behind moved, when it now stands elsewhere in its block. */
static void *grow(void *p, size_t n)
{
	const struct head old = *head_of(p);
	const size_t offset = (size_t)((unsigned char *)p - (unsigned char *)old.raw);
	const size_t bytes = total(n, BLOCK);
	unsigned char *raw;
	uintptr_t at;

	/* one that was aligned to more may stand deeper than this asks for */
	if (!bytes || offset > sizeof(struct head) + BLOCK - 1) {
		void *const q = bytes ? take(n, BLOCK) : NULL;

		if (!q) {
			errno = ENOMEM;
			return NULL;
		}
		memcpy(q, p, old.size < n ? old.size : n);
		free(p);
		return q;
	}
	raw = next_realloc(old.raw, bytes);
	if (!raw)
		return NULL;
	at = ((uintptr_t)raw + sizeof(struct head) + BLOCK - 1) / BLOCK * BLOCK - (uintptr_t)raw;
	if (at != offset)
		memmove(raw + at, raw + offset, old.size < n ? old.size : n);
	return place(raw, n, BLOCK);
}

void *realloc(void *p, size_t n)
{
	void *q;

	if (!p)
		return malloc(n);
	if (n == 0) {
		free(p);
		return NULL;
	}
	if (rounded(n) == rounded(head_of(p)->size)) {
		head_of(p)->size = n;
		return p;
	}
	if (!is_early(p))
		return grow(p, n);
	q = malloc(n);
	if (q)
		memcpy(q, p, head_of(p)->size < n ? head_of(p)->size : n);
	return q;
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, all);
}

void *memalign(size_t align, size_t n)
{
	size_t power = BLOCK;

	while (power < align && power < PTRDIFF_MAX / 8)
		power *= 2;
	return take(n, power);
}

void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	const int before = errno;
	void *q;

	if (align < sizeof(void *) || (align & (align - 1)))
		return EINVAL;
	q = memalign(align, n);
	errno = before;
	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}

void *valloc(size_t n)
{
	return memalign((size_t)sysconf(_SC_PAGESIZE), n);
}

void *pvalloc(size_t n)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (n > PTRDIFF_MAX - page) {
		errno = ENOMEM;
		return NULL;
	}
	return memalign(page, n ? (n + page - 1) / page * page : page);
}

size_t malloc_usable_size(void *p)
{
	return p ? rounded(head_of(p)->size) : 0;
}
