#include "kernels/kernels.h"

const struct sd_kernel *const sd_kernel_registry[] = {
#define X(name) &sd_kernel_##name,
	SD_KERNELS(X)
#undef X
		NULL,
};
