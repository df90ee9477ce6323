#include "output/output_kind.h"

#include <string.h>

#include "bench/profile.h"
#include "record/record.h"

const struct sd_output_kind_info sd_output_kind_info[SD_OUTPUT_KINDS] = {
	[SD_OUTPUT_RECORD] = {"record", 0600, 1, 0},
	[SD_OUTPUT_PROFILE] = {"profile", 0666, 1, 0},
	[SD_OUTPUT_PAGE] = {"HTML page", 0666, 1, 1},
	[SD_OUTPUT_JUNIT] = {"JUnit file", 0666, 1, 1},
	[SD_OUTPUT_SAMPLES] = {"file of raw samples", 0600, 0, 0},
	[SD_OUTPUT_SIMULATED] = {"file of the simulation", 0600, 0, 0},
	[SD_OUTPUT_COUNTED] = {"count of the simulation", 0600, 0, 0},
	[SD_OUTPUT_PRINTED] = {"program's output", 0600, 0, 0},
	[SD_OUTPUT_LESSON] = {"file of the lesson", 0666, 0, 0},
	[SD_OUTPUT_LOCK] = {"lock", 0600, 0, 0},
};

/* `from`, moved past `text`; NULL when something else is there. */
static const char *skip(const char *from, const char *end, const char *text)
{
	const size_t n = strlen(text);

	while (from && from < end && strchr(" \t\r\n", *from))
		from++;
	return from && (size_t)(end - from) >= n && memcmp(from, text, n) == 0 ? from + n : NULL;
}

/* An object whose first member is "kind", spaced as anybody's formatter does it. */
static int is_json(const char *head, size_t n, const char *kind)
{
	const char *const end = head + n;
	const char *at = skip(head, end, "{");

	at = skip(at, end, "\"kind\"");
	at = skip(at, end, ":");
	at = skip(at, end, "\"");
	at = skip(at, end, kind);
	return skip(at, end, "\"") != NULL;
}

static int begins(const char *head, size_t n, const char *mark)
{
	return n >= strlen(mark) && memcmp(head, mark, strlen(mark)) == 0;
}

static int has(const char *head, size_t n, const char *mark)
{
	return memmem(head, n, mark, strlen(mark)) != NULL;
}

int sd_output_kind_recognise(enum sd_output_kind kind, const char *head, size_t n)
{
	switch (kind) {
	case SD_OUTPUT_RECORD:
		return n == 0 || is_json(head, n, SD_RECORD_KIND);
	case SD_OUTPUT_PROFILE:
		return n == 0 || is_json(head, n, SD_PROFILE_KIND);
	case SD_OUTPUT_PAGE:
		return n == 0 ||
		       (begins(head, n, "<!DOCTYPE html>") &&
			       has(head, n, "<meta name=\"generator\" content=\"scalediag"));
	case SD_OUTPUT_JUNIT:
		return n == 0 || (begins(head, n, "<?xml ") &&
					 has(head, n, "<testsuite name=\"scalediag check\""));
	case SD_OUTPUT_SAMPLES:
		return n == 0 || begins(head, n, "SDTRAIL");
	case SD_OUTPUT_SIMULATED:
		return n == 0 || begins(head, n, "scalediag-sim ");
	case SD_OUTPUT_COUNTED:
		return n == 0 || begins(head, n, "running\n") || begins(head, n, "lost\n") ||
		       begins(head, n, "ended");
	case SD_OUTPUT_LOCK:
		return n == 0;
	case SD_OUTPUT_PRINTED:
	case SD_OUTPUT_LESSON:
	case SD_OUTPUT_KINDS:
		break;
	}
	return 0;
}
