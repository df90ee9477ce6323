/* Advice from anywhere: read or refused, and what is read can be chosen from. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice_texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libconfig's scanner loses its buffer at a string without an end. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = malloc(size + 1);
	struct sd_advice_texts r = {0};
	double v;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (sd_advice_texts_add(&r, "fuzz", text, size, NULL) == 0)
		for (size_t i = 0; i < r.n; i++)
			if (r.row[i].when.handle)
				sd_expression_value(&r.row[i].when, &v);
	sd_advice_texts_free(&r);
	free(text);
	return 0;
}
