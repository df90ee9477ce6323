/*
 * Which threads ever were of the tree, by their numbers.
 */
#ifndef SD_MEMBERS_H
#define SD_MEMBERS_H

#include <stdint.h>

#define SD_MEMBERS_MAX (4u << 20) /* the kernel's largest pid_max */

struct sd_members {
	uint64_t *bit; /* owned; memory only where there are members */
};

int sd_members_init(struct sd_members *m); /* 0 or -ENOMEM */
void sd_members_add(struct sd_members *m, int tid);
void sd_members_drop(struct sd_members *m, int tid); /* the number is another's now */
int sd_members_has(const struct sd_members *m, int tid);
void sd_members_free(struct sd_members *m); /* accepts {0} */

#endif
