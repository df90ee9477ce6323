#include "import/table_cells.h"

#include <ctype.h>
#include <string.h>

char sd_table_cells_separator(const char *p, const char *end)
{
	const char *best = ";\t|,:";

	while (*best && !memchr(p, *best, (size_t)(end - p)))
		best++;
	return *best ? *best : ' ';
}

void sd_table_cells_trim(char separator, const char **p, const char **end)
{
	if (separator != '|')
		return;
	while (*p < *end && isspace((unsigned char)**p))
		++*p;
	while (*end > *p && isspace((unsigned char)(*end)[-1]))
		--*end;
	*p += *p < *end && **p == '|';
	*end -= *end > *p && (*end)[-1] == '|';
}

int sd_table_cells_is_rule(char separator, const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] && strchr("|-:+ \t\r", p[i]))
		i++;
	return separator == '|' && i == n;
}

/* `code` and **bold** in Markdown. */
static void cut_marks(char *cell)
{
	static const char marks[] = "`*";
	const size_t before = strspn(cell, marks);
	size_t n = strlen(cell);

	while (n > before && strchr(marks, cell[n - 1]))
		n--;
	memmove(cell, cell + before, n - before);
	cell[n - before] = '\0';
}

int sd_table_cells_next(const struct sd_import_text *t, unsigned line, char separator,
	const char **p, const char *end, char cell[SD_TABLE_CELL])
{
	size_t n = 0;
	int quoted = 0;

	if (separator == ' ') {
		while (*p < end && isspace((unsigned char)**p))
			++*p;
		if (*p == end)
			return 0;
	}
	if (*p > end)
		return 0;
	for (; *p < end && (quoted || **p != separator); ++*p) {
		if (**p == '"') {
			quoted = !quoted;
			continue;
		}
		if (n == 0 && isspace((unsigned char)**p))
			continue;
		if (n + 1 >= SD_TABLE_CELL)
			return sd_import_bad(
				t, line, "a cell of %d characters or more", SD_TABLE_CELL);
		cell[n++] = **p;
	}
	if (quoted)
		return sd_import_bad(t, line, "a quotation mark is not closed");
	++*p;
	while (n > 0 && isspace((unsigned char)cell[n - 1]))
		n--;
	cell[n] = '\0';
	if (separator == '|')
		cut_marks(cell);
	return 1;
}
