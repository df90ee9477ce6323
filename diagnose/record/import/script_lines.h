/*
 * Lines of `perf script`: a sample, "app 13582 [001] 15145.841373:    2004008 task-clock:u:", whose
 * only frame may follow on the same line; a frame, "117f spin+0x26 (/tmp/busy)"; and, below it, its
 * place, "a.c:4".
 */
#ifndef SD_SCRIPT_LINES_H
#define SD_SCRIPT_LINES_H

#include <stddef.h>
#include <stdint.h>

struct sd_script_sample {
	char comm[16], event[128];
	int tid;
	double time;   /* s */
	double period; /* of the event; 0: not printed */
};

struct sd_script_frame {
	char function[512]; /* "": no symbol */
	char module[512];
	char file[256];
	unsigned line;
	uint64_t address;
	int inlined;
};

/* Each: 1 and *out, or 0. `frame` of a sample: module "" if none stands there. */
int sd_script_lines_sample(
	const char *p, size_t length, struct sd_script_sample *out, struct sd_script_frame *frame);
int sd_script_lines_frame(const char *p, size_t length, struct sd_script_frame *out);
int sd_script_lines_place(const char *p, size_t length, struct sd_script_frame *out);

#endif
