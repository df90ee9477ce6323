#include "kernels.h"

const struct sd_kernel *const sd_kernel_registry[] = {
	&sd_kernel_transfer,
	&sd_kernel_sharing,
	&sd_kernel_locks,
	NULL,
};
