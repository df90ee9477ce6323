/*
 * Names the members that lie in a line of the heap, by the types of the pointers that the code
 * there has in its registers.
 */
#ifndef SD_SIM_TYPES_H
#define SD_SIM_TYPES_H

#include "simfile/sim_address.h"

/* Appends them to the line's name, " (struct part.hits)", and adds what they are members of to the
 * line's objects; nothing to another memory than the heap. 0 or -ENOMEM. */
int sd_sim_types_add(const struct sd_sim_address *n, const struct sd_sim_file_contested *l,
	char *name, size_t size, struct sd_sim_contested *to);

/* The bytes of the line at `line` that the instruction at pc touches, where the instruction itself
 * says so, as for variables of fixed addresses: bit i = byte i. 0: it does not. */
uint64_t sd_sim_types_bytes(const struct sd_sim_address *n, uint64_t line, uint64_t pc);

#endif
