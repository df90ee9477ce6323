#include "import/c2c_columns.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_column(const char *names, size_t from, size_t to, char out[SD_C2C_COLUMNS_NAME])
{
	const size_t length = strlen(names);
	size_t n = 0;

	for (size_t i = from; i < to && i < length; i++)
		if (!isspace((unsigned char)names[i]) && n + 1 < SD_C2C_COLUMNS_NAME)
			out[n++] = (char)tolower((unsigned char)names[i]);
	out[n] = '\0';
}

/* The latencies have the names of the counts. */
static void tell_apart(struct sd_c2c_columns *c)
{
	static const char end[] = "_cycles";
	char *const last = c->name[c->n];

	for (size_t k = 0; k < c->n; k++)
		if (strcmp(c->name[k], last) == 0 &&
			strlen(last) + sizeof end <= SD_C2C_COLUMNS_NAME)
			memcpy(last + strlen(last), end, sizeof end);
}

void sd_c2c_columns_heading(struct sd_c2c_columns *c, const char *text)
{
	size_t i = strspn(text, "# ");

	if (text[i] != '.' || text[strspn(text, "#. ")]) {
		snprintf(c->names, sizeof c->names, "%s", text);
		return;
	}
	c->n = 0;
	while (text[i] && c->n < SD_C2C_COLUMNS) {
		const size_t dots = strspn(text + i, ".");

		c->from[c->n] = i;
		c->to[c->n] = i + dots;
		/* a name may be a little wider than its column */
		name_column(c->names, i ? i - 1 : 0, i + dots + 1, c->name[c->n]);
		tell_apart(c);
		c->n++;
		i += dots + strspn(text + i + dots, " ");
	}
}

const char *sd_c2c_columns_cell(const struct sd_c2c_columns *c, const char *text, const char *name,
	char out[SD_C2C_COLUMNS_LINE])
{
	const size_t length = strlen(text);

	out[0] = '\0';
	for (size_t i = 0; i < c->n; i++) {
		size_t from = c->from[i], to = c->to[i];

		if (strcmp(c->name[i], name) != 0 || from >= length)
			continue;
		to = i + 1 == c->n || to > length ? length : to;
		while (from < to && text[from] == ' ')
			from++;
		while (to > from && text[to - 1] == ' ')
			to--;
		snprintf(out, SD_C2C_COLUMNS_LINE, "%.*s", (int)(to - from), text + from);
		break;
	}
	return out;
}

double sd_c2c_columns_number(const struct sd_c2c_columns *c, const char *text, const char *name)
{
	char value[SD_C2C_COLUMNS_LINE], *end;
	double v;

	sd_c2c_columns_cell(c, text, name, value);
	if (!isdigit((unsigned char)value[0]))
		return 0;
	v = strncmp(value, "0x", 2) == 0 ? (double)strtoull(value, &end, 16) : strtod(value, &end);
	return isfinite(v) && v >= 0 && v < 1e15 ? v : 0;
}
