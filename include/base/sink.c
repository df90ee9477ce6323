#include "base/sink.h"

#include <stdio.h>

void sd_say(const struct sd_sink *sink, enum sd_level level, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!sink || !sink->emit)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	/* file names and program output may carry terminal escapes */
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	sink->emit(sink->ctx, level, text);
}
