/*
 * The set of tids that belong to the tree.
 */
#ifndef SD_TID_SET_H
#define SD_TID_SET_H

#include <stdint.h>

#define SD_TID_SET_MAX (4u << 20) /* the kernel's largest pid_max */

struct sd_tid_set {
	uint64_t *bit; /* owned; pages are only used where there are members */
};

int sd_tid_set_init(struct sd_tid_set *m); /* 0 or -ENOMEM */
void sd_tid_set_add(struct sd_tid_set *m, int tid);
void sd_tid_set_drop(struct sd_tid_set *m, int tid); /* the tid was reused */
int sd_tid_set_has(const struct sd_tid_set *m, int tid);
void sd_tid_set_free(struct sd_tid_set *m); /* accepts {0} */

#endif
