#include "harness/arena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/number.h"

#define HUGE_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"
#define HUGE_SIZE "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"
#define HUGE_ALIGN ((size_t)2 << 20) /* alignment where there are no huge pages */

/* The first line of a small file; 0 or -errno. */
static int read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	int rc;

	if (!f)
		return -errno;
	rc = fgets(line, (int)size, f) ? 0 : -ENODATA;
	fclose(f);
	if (rc == 0)
		line[strcspn(line, "\n")] = '\0';
	return rc;
}

static uint64_t read_u64(const char *path)
{
	char line[64];
	uint64_t v;

	return read_line(path, line, sizeof line) == 0 &&
			       sd_number_u64(line, 1, UINT64_MAX, &v) == 0
		       ? v
		       : 0;
}

size_t sd_pages_bytes(enum sd_pages pages)
{
	return pages == SD_PAGES_BASE ? (size_t)sysconf(_SC_PAGESIZE) : (size_t)read_u64(HUGE_SIZE);
}

const char *sd_pages_name(enum sd_pages pages)
{
	static const struct {
		size_t bytes;
		const char *name;
	} names[] = {
		{4096, "4KiB"},
		{16384, "16KiB"},
		{65536, "64KiB"},
		{(size_t)1 << 20, "1MiB"},
		{(size_t)2 << 20, "2MiB"},
		{(size_t)32 << 20, "32MiB"},
		{(size_t)512 << 20, "512MiB"},
	};
	const size_t bytes = sd_pages_bytes(pages);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].bytes == bytes)
			return names[i].name;
	return pages == SD_PAGES_BASE ? "base" : "huge";
}

int sd_pages_usable(enum sd_pages pages)
{
	char line[64];

	if (pages == SD_PAGES_BASE)
		return 1;
	return sd_pages_bytes(pages) > 0 && prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) <= 0 &&
	       read_line(HUGE_ENABLED, line, sizeof line) == 0 && !strstr(line, "[never]");
}

int sd_arena_map(struct sd_arena *out, size_t bytes, enum sd_pages pages)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), huge = sd_pages_bytes(SD_PAGES_HUGE);
	const size_t align = huge ? huge : HUGE_ALIGN;
	struct sd_arena a = {.pages = pages};
	uintptr_t at;

	*out = (struct sd_arena){0};
	if (!sd_pages_usable(pages))
		return -ENOTSUP;
	if (bytes == 0 || bytes > SIZE_MAX / 2 - 4 * align)
		return -ENOMEM;
	a.bytes = (bytes + align - 1) / align * align;
	/* an inaccessible page before and after keeps the kernel from merging it with a neighbour,
	 * so that smaps speaks of this memory alone */
	a.mapped = a.bytes + align + 2 * page;
	a.map = mmap(NULL, a.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (a.map == MAP_FAILED)
		return -ENOMEM;
	at = ((uintptr_t)a.map + page + align - 1) / align * align;
	a.base = (unsigned char *)a.map + (at - (uintptr_t)a.map);
	if (mprotect(a.base, a.bytes, PROT_READ | PROT_WRITE) != 0) {
		munmap(a.map, a.mapped);
		return -ENOMEM;
	}
	/* no huge pages in this kernel: base pages are all there is, and the advice is refused */
	madvise(a.base, a.bytes, pages == SD_PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	*out = a;
	return 0;
}

void sd_arena_touch(void *p, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile unsigned char *b = p;

	for (size_t i = 0; i < bytes; i += page)
		b[i] = 0;
}

/* "Name:   123 kB": 1 and the bytes, or 0. */
static int smaps_field(const char *line, const char *name, double *bytes)
{
	const size_t n = strlen(name);
	char number[32];
	const char *p = line + n;
	size_t digits;
	uint64_t kib;

	if (strncmp(line, name, n) != 0)
		return 0;
	p += strspn(p, " ");
	digits = strspn(p, "0123456789");
	if (digits == 0 || digits >= sizeof number)
		return 0;
	memcpy(number, p, digits);
	number[digits] = '\0';
	if (sd_number_u64(number, 0, UINT64_MAX >> 11, &kib) != 0)
		return 0;
	*bytes = 1024.0 * (double)kib;
	return 1;
}

/* "begin-end perms …": 1 when the line is a mapping's first. */
static int smaps_range(const char *line, uintptr_t *begin, uintptr_t *end)
{
	char *tail;
	unsigned long long from, to;

	from = strtoull(line, &tail, 16);
	if (tail == line || *tail != '-')
		return 0;
	line = tail + 1;
	to = strtoull(line, &tail, 16);
	if (tail == line || *tail != ' ')
		return 0;
	*begin = (uintptr_t)from;
	*end = (uintptr_t)to;
	return 1;
}

struct sd_value sd_arena_huge_share(const void *p, size_t bytes)
{
	const uintptr_t low = (uintptr_t)p, high = low + bytes;
	uintptr_t begin = 0, end = 0;
	double v, resident = 0, huge = 0;
	char line[512];
	FILE *f = fopen("/proc/self/smaps", "re");

	if (!f)
		return SD_NOT(ABSENT);
	while (fgets(line, sizeof line, f)) {
		if (smaps_range(line, &begin, &end))
			continue;
		if (begin >= high || end <= low)
			continue;
		if (smaps_field(line, "Rss:", &v))
			resident += v;
		else if (smaps_field(line, "AnonHugePages:", &v))
			huge += v;
	}
	fclose(f);
	return resident > 0 ? SD_OK(huge / resident) : SD_NOT(ABSENT);
}

int sd_arena_verify(const struct sd_arena *a, char *why, size_t why_bytes)
{
	const struct sd_value share = sd_arena_huge_share(a->base, a->bytes);
	char text[96] = "";
	int rc = 0;

	if (!sd_has(share)) {
		snprintf(text, sizeof text, "the kernel does not tell which pages the memory got");
		rc = -ENODATA;
	} else if (a->pages == SD_PAGES_HUGE && share.value < 0.95) {
		snprintf(text, sizeof text, "only %.0f %% of the memory got %s pages",
			100 * share.value, sd_pages_name(a->pages));
		rc = -ENOTSUP;
	} else if (a->pages == SD_PAGES_BASE && share.value > 0) {
		snprintf(text, sizeof text, "%.0f %% of the memory got huge pages nobody asked for",
			100 * share.value);
		rc = -ENOTSUP;
	}
	if (why && why_bytes)
		snprintf(why, why_bytes, "%s", text);
	return rc;
}

void sd_arena_free(struct sd_arena *a)
{
	if (a->map)
		munmap(a->map, a->mapped);
	*a = (struct sd_arena){0};
}
