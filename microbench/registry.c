#include "kernels.h"

const struct sd_kernel *const sd_kernel_registry[] = {
	NULL,
};
