/*
 * Offsets in the structures of CPython's versions that tell what its threads run, from
 * configs/python.
 */
#ifndef SD_PYTHON_LAYOUT_H
#define SD_PYTHON_LAYOUT_H

#include <stddef.h>

#include "base/sink.h"

/* clang-format off */
/* Bytes from the beginning of the structure that the first word names, all pointers of 64 bits. */
#define SD_PYTHON_FIELDS(X) \
	X(RUNTIME_INTERPRETERS, "runtime_interpreters")  /* the first interpreter's address, from _PyRuntime on */ \
	X(INTERPRETER_NEXT, "interpreter_next") \
	X(INTERPRETER_THREADS, "interpreter_threads")   /* its newest thread */ \
	X(THREAD_NEXT, "thread_next") \
	X(THREAD_ID, "thread_id")             /* the kernel's number of it */ \
	X(THREAD_FRAME, "thread_frame")          /* the frame that it runs, or where that is kept */ \
	X(THREAD_FRAME_KEPT, "thread_frame_kept")     /* 1: thread_frame leads to what holds the frame's address at kept_frame */ \
	X(KEPT_FRAME, "kept_frame") \
	X(FRAME_CODE, "frame_code") \
	X(FRAME_PREVIOUS, "frame_previous")        /* its caller */ \
	X(FRAME_INSTRUCTION, "frame_instruction")     /* the instruction that it runs */ \
	X(OBJECT_TYPE, "object_type") \
	X(CODE_FILE, "code_file") \
	X(CODE_NAME, "code_name")             /* with its class: co_qualname */ \
	X(CODE_LINES, "code_lines")            /* the table of lines: co_linetable */ \
	X(CODE_FIRST_LINE, "code_first_line") \
	X(CODE_START, "code_start")            /* the first instruction */ \
	X(TEXT_LENGTH, "text_length")           /* characters */ \
	X(TEXT_STATE, "text_state")            /* 32 bits: compact, ascii, bytes of a character */ \
	X(TEXT_STATE_KIND, "text_state_kind")       /* the number of the first of the 3 bits of bytes a character; then compact, ascii */ \
	X(TEXT_ASCII, "text_ascii")            /* the characters, where all are ASCII */ \
	X(TEXT_OTHER, "text_other")            /* and where not */ \
	X(BYTES_SIZE, "bytes_size") \
	X(BYTES_START, "bytes_start")
/* clang-format on */

#define X(id, key) SD_PYTHON_##id,
enum sd_python_field { SD_PYTHON_FIELDS(X) SD_PYTHON_FIELD_COUNT };
#undef X

struct sd_python_layout {
	unsigned version; /* 3 << 8 | 11 for 3.11 */
	unsigned at[SD_PYTHON_FIELD_COUNT];
};

#define SD_PYTHON_LAYOUTS 16

/* Zeroed knows no version. */
struct sd_python_layouts {
	struct sd_python_layout of[SD_PYTHON_LAYOUTS];
	size_t n;
};

/* Reads a file's text; `name` is for messages. 0; -EINVAL with one message said, *l unchanged;
 * -ENOMEM. */
int sd_python_layouts_parse(struct sd_python_layouts *l, const char *name, const char *text,
	size_t size, const struct sd_sink *sink);

/* Loads python/cpython.conf, from `dir` as in configs.h. 0, or -errno with one message said. */
int sd_python_layouts_load(
	struct sd_python_layouts *l, const char *dir, const struct sd_sink *sink);

/* NULL: this version is not known. */
const struct sd_python_layout *sd_python_layouts_find(
	const struct sd_python_layouts *l, unsigned version);

#endif
