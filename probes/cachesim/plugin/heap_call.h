/*
 * How the preloaded library (heap/heap.c), which runs inside the guest, reports heap blocks to the
 * plugin: by a system call that does not exist in Linux. The plugin sees its arguments; the kernel
 * returns ENOSYS.
 */
#ifndef SIM_HEAPCALL_H
#define SIM_HEAPCALL_H

#define SIM_HEAP_CALL 0x1344686c /* the number; the first argument is one of these */

enum sim_heap {
	/* second and third: the library's code from, to: it is not the program's and not counted;
	   fourth: address of an int that becomes 1 when a plugin listens. Until SIM_HEAP_READY
	   nothing of this thread is counted. */
	SIM_HEAP_HELLO = 1,
	SIM_HEAP_READY,
	/* an allocation: address, bytes; return address of the call; a stack address below the
	   frames of all its callers */
	SIM_HEAP_BLOCK
};

#endif
