#include "spinloop.h"

enum sd_spinloop_machine sd_spinloop_here(void)
{
#if defined(__x86_64__)
	return SD_SPINLOOP_X86_64;
#elif defined(__aarch64__)
	return SD_SPINLOOP_AARCH64;
#else
	return SD_SPINLOOP_OTHER;
#endif
}

/* to be filled */
int sd_spinloop(enum sd_spinloop_machine machine, const unsigned char *code, size_t n, size_t low,
	size_t high)
{
	(void)machine;
	(void)code;
	(void)n;
	(void)low;
	(void)high;
	return 0;
}
