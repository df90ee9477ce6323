/*
 * Which file is mapped at which address of which process: address spaces that follow exec, fork
 * (copy on write) and mmap.
 */
#ifndef SD_ADDRESS_SPACES_H
#define SD_ADDRESS_SPACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/key_table.h"

struct sd_map {
	uint64_t start, end;
	uint64_t offset; /* in the file, of `start` */
	unsigned module; /* an index of the caller's */
};

struct sd_space {
	struct sd_map *map; /* ascending, disjoint */
	size_t n, size;
	size_t users;
};

/* A zeroed one is empty. */
struct sd_address_spaces {
	struct sd_key_table of; /* pid + 1 -> struct sd_space * */
};

/* Adds a mapping, which replaces what it overlaps. 0 or -ENOMEM. */
int sd_address_spaces_map(struct sd_address_spaces *s, int pid, const struct sd_map *map);

/* An exec: the address space becomes empty. 0 or -ENOMEM. */
int sd_address_spaces_exec(struct sd_address_spaces *s, int pid);

/* A fork: the new process shares its parent's space. 0 or -ENOMEM. */
int sd_address_spaces_fork(struct sd_address_spaces *s, int pid, int parent);

/* The address space of a process; NULL: unknown. */
const struct sd_space *sd_address_spaces_of(const struct sd_address_spaces *s, int pid);

/* The mapping at an address; NULL: none. */
const struct sd_map *sd_space_at(const struct sd_space *space, uint64_t address);

void sd_address_spaces_free(struct sd_address_spaces *s);

#endif
