/*
 * Additions that neither the compiler nor the core can elide. The addend is a register, because
 * recent cores fold the addition of a constant at rename, without executing it.
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
/* A dependency chain: each addition needs the result of the one before. */
#define SD_ADD_64(x, y)  \
	SD_ADD_16(x, y); \
	SD_ADD_16(x, y); \
	SD_ADD_16(x, y); \
	SD_ADD_16(x, y)

#endif
