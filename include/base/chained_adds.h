/*
 * Additions that neither the compiler nor the core can leave out: of a register, since recent cores
 * add a constant without executing anything.
 */
#ifndef SD_CHAINED_ADDS_H
#define SD_CHAINED_ADDS_H

/* x += y, 64-bit unsigned. */
#define SD_ADD(x, y)                                     \
	do {                                             \
		(x) += (y);                              \
		__asm__ volatile("" : "+r"(x), "+r"(y)); \
	} while (0)

#define SD_ADD_4(x, y) \
	SD_ADD(x, y);  \
	SD_ADD(x, y);  \
	SD_ADD(x, y);  \
	SD_ADD(x, y)
#define SD_ADD_16(x, y) \
	SD_ADD_4(x, y); \
	SD_ADD_4(x, y); \
	SD_ADD_4(x, y); \
	SD_ADD_4(x, y)
/* A chain: each waits for the one before. */
#define SD_ADD_64(x, y)  \
	SD_ADD_16(x, y); \
	SD_ADD_16(x, y); \
	SD_ADD_16(x, y); \
	SD_ADD_16(x, y)

#endif
