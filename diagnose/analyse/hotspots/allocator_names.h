/*
 * Whose malloc() a function belongs to, by its name and the file that has it.
 */
#ifndef SD_ALLOCATOR_NAMES_H
#define SD_ALLOCATOR_NAMES_H

enum sd_allocator {
	SD_ALLOCATOR_NONE, /* it does not allocate */
	SD_ALLOCATOR_ANY,  /* it does, by a name that several allocators have */
	SD_ALLOCATOR_MUSL,
	SD_ALLOCATOR_JEMALLOC,
	SD_ALLOCATOR_MIMALLOC,
	SD_ALLOCATOR_TCMALLOC,
	SD_ALLOCATOR_TBB,
	SD_ALLOCATOR_COUNT
};

/* malloc(), operator new and their like, what frees, and the own functions of allocators that are
 * linked into the program or loaded beside it. `module`: path of the file; "": unknown. */
enum sd_allocator sd_allocator_names_of(const char *function, const char *module);

#endif
