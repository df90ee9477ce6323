/*
 * Any text as a file of configs/waits, of configs/locks or of configs/programs: no crash, no leak;
 * what is taken can be matched against.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/program_behind.h"
#include "resolve/lock_names.h"
#include "resolve/wait_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses what it has read of a string that is never closed. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so\n";
}

static void name_lock(const char *text, size_t size)
{
	static const char *const function[] = {"__mutex_lock", "pipe_write", "__x64_sys_write", ""};
	const struct sd_lock_frames f = {function, 4};
	struct sd_lock_names names;
	char out[SD_LOCK_NAMES_TEXT];

	if (sd_lock_names_parse(&names, "fuzz", text, size, NULL))
		return;
	sd_lock_names_lock(&names, f, SD_LOCK_KIND_MUTEX, out);
	sd_lock_names_call(&names, f, out);
	sd_lock_names_waits(&names, f);
	sd_lock_names_free(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = {"mpirun", "-n", "4", "python3", "a.py"};
	struct sd_wait_rules r = {0};
	struct sd_stacks s = {0};
	struct sd_frame frame = {0};
	char *const text = malloc(size + 1);
	unsigned number, node;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	name_lock(text, size);
	sd_wait_rules_parse(&r, "fuzz", text, size, NULL);
	if (sd_stacks_text(&s, "pthread_mutex_lock", &frame.function) == 0 &&
		sd_stacks_frame(&s, &frame, &number) == 0 &&
		sd_stacks_node(&s, 0, number, &node) == 0) {
		sd_wait_match_activity(&r, &s, node, 0);
		sd_wait_match_activity(&r, &s, node, 1);
	}
	if (sd_program_behind_by(argv, 5, "fuzz", text, size, NULL) >= 5)
		abort();
	sd_stacks_free(&s);
	sd_wait_rules_free(&r);
	free(text);
	return 0;
}
