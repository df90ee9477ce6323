/*
 * The kinds of files the program writes, and how it recognises its own.
 */
#ifndef SD_OUTPUT_KIND_H
#define SD_OUTPUT_KIND_H

#include <stddef.h>
#include <sys/stat.h>

enum sd_output_kind {
	SD_OUTPUT_RECORD,
	SD_OUTPUT_PROFILE,   /* of a calibration */
	SD_OUTPUT_PAGE,      /* HTML: a report or a handout */
	SD_OUTPUT_JUNIT,     /* results of check */
	SD_OUTPUT_SAMPLES,   /* raw samples that stay */
	SD_OUTPUT_SIMULATED, /* what the software PMU's plugin saw */
	SD_OUTPUT_COUNTED,   /* how many instructions it counted */
	SD_OUTPUT_PRINTED,   /* what the program under test printed */
	SD_OUTPUT_LESSON,    /* a lesson's sources: never replaced */
	SD_OUTPUT_LOCK,      /* empty, held while a record is being measured */
	SD_OUTPUT_KINDS
};

struct sd_output_kind_info {
	const char *name; /* for "cannot write the …" */
	/* Mode of a new file, before the umask. A record holds arguments, environment values and
	 * stacks, so only its owner may read it, as with perf.data. */
	mode_t mode;
	int sync;   /* must survive a crash of the machine */
	int stream; /* may also go to a pipe, a terminal or /dev/null */
};

extern const struct sd_output_kind_info sd_output_kind_info[SD_OUTPUT_KINDS];

/* Leading bytes of a file that suffice to recognise it. */
#define SD_OUTPUT_KIND_HEAD 1024

/*
 * Is a file with these leading bytes one of ours, of this kind? An empty file is, since replacing
 * it loses nothing (mktemp creates such files). A program's output can begin with anything and is
 * recognised by name and owner, see output_file.h.
 */
int sd_output_kind_recognise(enum sd_output_kind kind, const char *head, size_t n);

#endif
