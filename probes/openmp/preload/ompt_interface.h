/*
 * The part in use of the interface for tools, as OpenMP 5.1 lays it down in chapter 4, "OMPT
 * Interface".
 */
#ifndef SD_OMPT_INTERFACE_H
#define SD_OMPT_INTERFACE_H

#include <stdint.h>

/* 4.4.4: the tool's own, of each region and task */
union data {
	uint64_t value;
	void *pointer;
};
typedef void function(void);
typedef function *look_up(const char *name);
typedef int set_callback(int event, function *callback);

/* 4.2.1 */
struct start_tool_result {
	int (*initialize)(look_up *look, int device, union data *tool);
	void (*finalize)(union data *tool);
	union data tool;
};

enum event { /* 4.4.2 */
	PARALLEL_BEGIN = 3,
	PARALLEL_END = 4,
	TASK_CREATE = 5,
	TASK_SCHEDULE = 6,
	IMPLICIT_TASK = 7,
	SYNC_REGION_WAIT = 16,
	MUTEX_ACQUIRE = 26,
	MUTEX_ACQUIRED = 27,
};
enum endpoint { BEGIN = 1, END = 2 };                 /* 4.4.4.11 */
enum wait { TASKWAIT = 5, TASKGROUP = 6 };            /* 4.4.4.13; all others are barriers */
enum mutex { CRITICAL = 5, ATOMIC = 6, ORDERED = 7 }; /* 4.4.4.16; of locks: omp_waits.c */
#define INITIAL_TASK 1                                /* 4.4.4.18 */
#define EXPLICIT_TASK 4
#define LEAGUE 0x40000000 /* 4.4.4.22 */

#endif
