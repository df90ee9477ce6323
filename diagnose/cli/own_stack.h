/*
 * Provides a large enough stack, whatever `ulimit -s` and `ulimit -v` are.
 */
#ifndef SD_OWN_STACK_H
#define SD_OWN_STACK_H

/*
 * Calls run(ctx) and returns its result. If the stack limit is too small for libraries that put
 * tables on the stack (libdw), it runs in the same thread on a mapping of sufficient size, to which
 * the limit does not apply; the limit itself is unchanged, because the program under test inherits
 * it. If the kernel refuses to grow a stack, or a library asserts that it got memory which is not
 * there, the process ends by sd_out_of_memory(); other segmentation faults and aborts are not
 * affected.
 */
int sd_own_stack_call(int (*run)(void *ctx), void *ctx);

#endif
