/*
 * A requirement of `scalediag check`, and a list of ceilings of `scalediag import`: text from a
 * command line in a build server's file. Taken or refused with a sentence; what is taken has a name
 * and a bound. The first byte chooses.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/requirement.h"
#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_requirement(const char *text)
{
	struct sd_requirement gate;
	char why[64];

	memset(why, 'x', sizeof why);
	if (sd_requirements_parse(text, &gate, why, sizeof why)) {
		if (!memchr(why, '\0', sizeof why) || !*why)
			abort();
		return;
	}
	if (!memchr(gate.text, '\0', sizeof gate.text))
		abort();
	if (gate.kind == SD_REQUIREMENT_NUMBER &&
		(!isfinite(gate.bound) || !memchr(gate.name, '\0', sizeof gate.name)))
		abort();
	if (gate.kind == SD_REQUIREMENT_NO_CAUSE && (unsigned)gate.cause >= SD_CAUSE_COUNT)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_import im = {0};
	char *text;

	if (size < 1)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (data[0] == '=') {
		(void)sd_import_ceilings(&im, text, NULL);
		sd_import_free(&im);
		(void)sd_import_count(text);
	} else {
		check_requirement(text);
	}
	free(text);
	return 0;
}
