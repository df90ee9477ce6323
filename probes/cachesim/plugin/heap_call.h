/*
 * How the preloaded library (heap/heap.c), which runs inside the guest, tells the plugin of the
 * program's heap: by a system call that Linux has not. The plugin sees its arguments, the kernel
 * answers ENOSYS.
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
	/* an allocation: address, bytes; the return address of the call; an address in the stack
	   below all frames of its callers */
	SIM_HEAP_BLOCK
};

#endif
