/*
 * The log of the blocks that a program's allocator gives, where the library is preloaded into a
 * program that runs by itself (trace/heap_log.h).
 */
#ifndef SIM_BLOCK_LOG_H
#define SIM_BLOCK_LOG_H

#include <stdint.h>

/* Opens the log where SCALEDIAG_HEAP_FOLDER says; `listening` is set to 1 while blocks are to be
 * told. errno stays. Returns 1 where the variable is set: then nobody else listens. */
int block_log_open(int *listening);

/* Adds a block: its address and bytes; where the call returns to, with the stack pointer and the
 * frame pointer that it leaves. */
void block_log_add(uintptr_t start, uintptr_t bytes, uintptr_t pc, uintptr_t sp, uintptr_t fp);

#endif
