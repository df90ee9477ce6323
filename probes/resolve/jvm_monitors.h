/*
 * Lines at which Java threads wait for monitors, and the classes of these, from the dumps of
 * threads that a virtual machine prints when it is asked (jvm_names.h): compiled code has no lines
 * where an unwinder could read them, and the name of a monitor is its object's.
 *
 * A dump counts for each method of the program on the stack of a thread that waits for a monitor,
 * or for a lock of java.util.concurrent. A method has the line and the class that nine in ten of
 * its dumps have: one that waits at two lines has none.
 */
#ifndef SD_JVM_MONITORS_H
#define SD_JVM_MONITORS_H

#include "base/key_table.h"
#include "resolve/stack_resolve.h"

#define SD_JVM_MONITORS_LINE 1024u
#define SD_JVM_MONITORS_DEEP 64u   /* frames of a thread; those further out are left out */
#define SD_JVM_MONITORS_MOST 4096u /* methods, lines and classes */

/* A method at one line, below which threads wait for an object of one class. */
struct sd_jvm_waiting {
	char *method, *file, *object; /* owned; "Ids.work", "Ids.java", "java.lang.Object" */
	unsigned line, dumps;
};

/* Zeroed has read nothing. */
struct sd_jvm_monitors {
	struct sd_jvm_waiting *row; /* owned */
	size_t n;
	/* of the thread that is being read */
	char *frame[SD_JVM_MONITORS_DEEP]; /* owned; what stands behind "at" */
	char *object;                      /* owned; NULL: it waits for none */
	unsigned n_frame;
	char line[SD_JVM_MONITORS_LINE]; /* that is being read, and cut where it is longer */
	size_t used;
	struct sd_key_table joined; /* node + 1 of this run's stacks -> node + 1 with lines */
};

/* The next piece of a dump, of any bytes. Best effort: what there is no memory for is left out. */
void sd_jvm_monitors_read(struct sd_jvm_monitors *m, const char *text, size_t n);

/* The end of a dump. */
void sd_jvm_monitors_end(struct sd_jvm_monitors *m);

/* Finds where a method waits, which is named as in the map of names: "int Ids.work(int)". 1, with texts
 * that are borrowed, the object's NULL where dumps differ in it; 0: no dump says the line, or they
 * differ. */
int sd_jvm_monitors_find(
	const struct sd_jvm_monitors *m, const char *method, struct sd_jvm_waiting *out);

/* Forgets the last run's stacks, and no line. */
void sd_jvm_monitors_again(struct sd_jvm_monitors *m);

/* The stack `node` with lines, where the machine's code for locks is on it, and the class behind
 * the function of the machine that is called for it: "ObjectMonitor::enter() [of
 * java.lang.Object]". */
unsigned sd_jvm_monitors_join(struct sd_jvm_monitors *m, struct sd_stack_resolve *p, unsigned node);

void sd_jvm_monitors_free(struct sd_jvm_monitors *m); /* leaves a zeroed one */

#endif
