/*
 * Asks Java virtual machines that run below the program for the names of what they compiled, and
 * for what their threads wait for, while they run: HotSpot keeps them to itself, and writes none at
 * its end unless it was started with -XX:+DumpPerfMapAtExit.
 *
 * The way of jcmd(1) (attachListener_posix.cpp of JDK 17): an empty file .attach_pidN in /tmp and
 * SIGQUIT make the machine open the socket /tmp/.java_pidN; a request of three arguments there,
 * "1\0jcmd\0Compiler.perfmap\0\0\0", makes it write /tmp/perf-N.map, and then
 * "1\0threaddump\0\0\0\0" answer with its threads' stacks. A machine that does not catch
 * SIGQUIT (-Xrs) would be ended by it, and one without that listener
 * (-XX:+DisableAttachMechanism) would print its threads: neither is asked, nor one of another user,
 * nor one that writes its map by itself, nor OpenJ9, nor a child of one thread, which may be about
 * to execute another program. Nothing here waits for an answer.
 */
#ifndef SD_JVM_NAMES_H
#define SD_JVM_NAMES_H

#include <stdint.h>
#include <sys/types.h>

struct sd_jvm_monitors;

#define SD_JVM_NAMES_MOST 4u

enum sd_jvm_names_state {
	SD_JVM_NAMES_MET, /* it may be between fork() and exec() of another program still */
	SD_JVM_NAMES_IDLE,
	SD_JVM_NAMES_CALLED, /* SIGQUIT was sent; its socket is waited for */
	SD_JVM_NAMES_ASKED,  /* the answer is waited for */
	SD_JVM_NAMES_NEVER,  /* it is not to be asked, or has refused */
};

struct sd_jvm {
	const char *root; /* borrowed, as below */
	pid_t pid, inner; /* its number here, and in its own namespace, which names its files */
	int tmp, socket;  /* owned descriptors, -1 none; tmp: its /tmp */
	int made;         /* its map was not there before it was asked */
	int begun, did;   /* its answer has; and is that it did as it was told */
	int of_threads;   /* it was asked for its threads, not for names */
	enum sd_jvm_names_state state;
	uint64_t since; /* ns: when it came to this state, or its answer began */
};

/* Zeroed is: not looked yet. */
struct sd_jvm_names {
	const char *root;                 /* borrowed; prefix of /proc; NULL: none */
	pid_t pid;                        /* of the program's first process */
	uint64_t first, next;             /* ns: the first look, and when machines are asked next */
	struct sd_jvm_monitors *monitors; /* borrowed: what its threads wait for; NULL: not asked */
	struct sd_jvm vm[SD_JVM_NAMES_MOST];
	unsigned n;
};

/* Asks what is to be asked by now, and reads what was answered: first .4 s after the first look,
 * then each time the program has run twice as long. Best effort. */
void sd_jvm_names_look(struct sd_jvm_names *j, uint64_t now);

/* Removes the maps that were made for it, and forgets the machines. Accepts the zeroed value. */
void sd_jvm_names_end(struct sd_jvm_names *j);

#endif
