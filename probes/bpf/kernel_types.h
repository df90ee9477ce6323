/*
 * The running kernel's types, from its own description (BTF): which number a type has, and where in
 * a struct a member lies.
 */
#ifndef SD_KERNEL_TYPES_H
#define SD_KERNEL_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty. */
struct sd_kernel_types {
	unsigned char *data; /* owned: the file */
	size_t size;
	const char *text; /* of the names; its last byte is a NUL */
	size_t n_text;
	uint32_t *at; /* owned; offset of each type, by number; the first is void */
	uint32_t n;
};

/* Reads the file, and finds where each type begins. 0; -ENOENT...; -EINVAL: it is none; -ENOMEM. */
int sd_kernel_types_open(struct sd_kernel_types *t, const char *path);

/* The number of a type of this kind (BTF_KIND_...) and name; 0: there is none. */
uint32_t sd_kernel_types_find(const struct sd_kernel_types *t, unsigned kind, const char *name);

/* Offset of a member in the struct "name", in bytes. "a.b": member b of member a; members of
 * nameless structs and unions count as the outer one's. 0, or -ENOENT. */
int sd_kernel_types_member(
	const struct sd_kernel_types *t, const char *name, const char *member, uint32_t *out);

/* The parameters of a raw tracepoint's function, without the first, which is the tracer's: how many
 * there are, and in is_task[] which of them are a struct task_struct's address. `point`: the type
 * btf_trace_NAME. 0: not known. */
unsigned sd_kernel_types_parameters(
	const struct sd_kernel_types *t, uint32_t point, int *is_task, unsigned most);

void sd_kernel_types_close(struct sd_kernel_types *t); /* accepts {0}, leaves it */

#endif
