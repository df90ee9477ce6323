#include "hotspots/allocator_names.h"

#include <string.h>

/* Functions that allocate and free memory, without parameters. */
static const char *const common[] = {
	"malloc",
	"calloc",
	"realloc",
	"reallocarray",
	"free",
	"cfree", /* glibc's free() by its other symbol */
	"aligned_alloc",
	"posix_memalign",
	"memalign",
	"valloc",
	"__libc_malloc",
	"__libc_calloc",
	"__libc_realloc",
	"__libc_free",
	"__libc_memalign",
	"_int_malloc",
	"_int_free",
	"_int_realloc",
	"malloc_consolidate",
	"operator new",
	"operator new[]",
	"operator delete",
	"operator delete[]",
	"__rust_alloc",
	"__rust_dealloc",
	"__rust_realloc",
	"__rdl_alloc",
	"__rdl_dealloc",
	"runtime.mallocgc",
};

/* How other allocators begin these names where they are linked beside the C library's. */
static const struct {
	const char *prefix;
	enum sd_allocator of;
} renamed[] = {
	{"je_", SD_ALLOCATOR_JEMALLOC},
	{"_rjem_", SD_ALLOCATOR_JEMALLOC},
	{"mi_", SD_ALLOCATOR_MIMALLOC},
	{"tc_", SD_ALLOCATOR_TCMALLOC},
	{"scalable_", SD_ALLOCATOR_TBB},
	{"rp", SD_ALLOCATOR_ANY},
};

/* How the names of functions begin that only one allocator has. mi_ alone is also MyISAM's. */
static const struct {
	const char *prefix;
	enum sd_allocator of;
} own[] = {
	{"__libc_malloc_impl", SD_ALLOCATOR_MUSL},
	{"__malloc_alloc_meta", SD_ALLOCATOR_MUSL},
	{"__malloc_allzerop", SD_ALLOCATOR_MUSL},
	{"je_arena_", SD_ALLOCATOR_JEMALLOC},
	{"je_tcache_", SD_ALLOCATOR_JEMALLOC},
	{"je_malloc_mutex_", SD_ALLOCATOR_JEMALLOC},
	{"je_large_", SD_ALLOCATOR_JEMALLOC},
	{"je_extent_", SD_ALLOCATOR_JEMALLOC},
	{"je_ehooks_", SD_ALLOCATOR_JEMALLOC},
	{"je_pa_", SD_ALLOCATOR_JEMALLOC},
	{"je_pac_", SD_ALLOCATOR_JEMALLOC},
	{"je_sdalloc", SD_ALLOCATOR_JEMALLOC},
	{"_rjem_je_", SD_ALLOCATOR_JEMALLOC},
	{"_mi_", SD_ALLOCATOR_MIMALLOC},
	{"mi_free_", SD_ALLOCATOR_MIMALLOC},
	{"mi_malloc_", SD_ALLOCATOR_MIMALLOC},
	{"mi_heap_", SD_ALLOCATOR_MIMALLOC},
	{"mi_page_", SD_ALLOCATOR_MIMALLOC},
	{"mi_segment", SD_ALLOCATOR_MIMALLOC},
	{"tc_new", SD_ALLOCATOR_TCMALLOC},
	{"tc_delete", SD_ALLOCATOR_TCMALLOC},
	{"tcmalloc::", SD_ALLOCATOR_TCMALLOC},
	{"(anonymous namespace)::do_free_pages(tcmalloc::", SD_ALLOCATOR_TCMALLOC},
	{"(anonymous namespace)::do_malloc_pages(tcmalloc::", SD_ALLOCATOR_TCMALLOC},
	{"tbb_malloc_", SD_ALLOCATOR_TBB},
};

/* How the names of files begin, without their folders. Of musl's the allocator is a part. */
static const struct {
	const char *prefix;
	enum sd_allocator of;
} library[] = {
	{"libjemalloc", SD_ALLOCATOR_JEMALLOC},
	{"libmimalloc", SD_ALLOCATOR_MIMALLOC},
	{"libtcmalloc", SD_ALLOCATOR_TCMALLOC},
	{"libtbbmalloc", SD_ALLOCATOR_TBB},
};

static int begins(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static int is_common(const char *name)
{
	for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
		const size_t n = strlen(common[i]);

		if (strncmp(name, common[i], n) == 0 &&
			(name[n] == '\0' || name[n] == '(' || name[n] == '@'))
			return 1;
	}
	return 0;
}

enum sd_allocator sd_allocator_names_of(const char *function, const char *module)
{
	const char *const slash = strrchr(module, '/'), *const file = slash ? slash + 1 : module;

	for (size_t i = 0; i < sizeof library / sizeof *library; i++)
		if (begins(file, library[i].prefix))
			return library[i].of;
	if (begins(function, "__GI_")) /* glibc's mark of a function that it calls itself */
		function += 5;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (begins(function, own[i].prefix))
			return own[i].of;
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
		if (begins(function, renamed[i].prefix) &&
			is_common(function + strlen(renamed[i].prefix)))
			return renamed[i].of;
	if (!is_common(function))
		return SD_ALLOCATOR_NONE;
	/* its loader is its C library, which it calls libc.so as well */
	return begins(file, "ld-musl") || begins(file, "libc.musl") || strcmp(file, "libc.so") == 0
		       ? SD_ALLOCATOR_MUSL
		       : SD_ALLOCATOR_ANY;
}
