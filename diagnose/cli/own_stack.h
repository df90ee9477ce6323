/*
 * A stack that is large enough, whatever `ulimit -s` and `ulimit -v` leave.
 */
#ifndef SD_OWN_STACK_H
#define SD_OWN_STACK_H

/*
 * Calls run(ctx) and returns what it returns. Where the limit of the stack is below what libraries
 * take that put tables on it (libdw does), on a mapping of that size in the same thread, which no
 * such limit holds for; the limit itself stays as it is, since the program under test inherits it.
 * Where the kernel refuses to let a stack grow, the process ends by sd_out_of_memory(); any other
 * segmentation fault is one as before.
 */
int sd_own_stack_call(int (*run)(void *ctx), void *ctx);

#endif
