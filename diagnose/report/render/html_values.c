#include "render/html_values.h"

#include <stdlib.h>

#include "analysis/code_place.h"
#include "base/near_path.h"
#include "page/interval_text.h"
#include "page/markup.h"
#include "page/short_names.h"

void sd_html_text(FILE *f, const char *text)
{
	sd_markup_xml(f, text);
}

void sd_html_around(FILE *f, const char *before, const char *text, const char *after)
{
	fputs(before, f);
	sd_html_text(f, text);
	fputs(after, f);
}

void sd_html_cell(
	FILE *f, struct sd_interval v, size_t runs, double factor, int decimals, const char *unit)
{
	char number[48], half[48], low[48], high[48];

	if (!sd_status_measured(v)) {
		fprintf(f, "<td class=\"soft\">%s</td>", sd_status_name(v.status));
		return;
	}
	sd_interval_text_number(number, sizeof number, factor * v.value, decimals);
	if (runs == 0) {
		fprintf(f, "<td>%s%s</td>", number, unit);
		return;
	}
	if (runs < 2 || !sd_status_bounded(v)) {
		fprintf(f,
			"<td title=\"one run: no interval\">%s%s <span "
			"class=\"soft\">±?</span></td>",
			number, unit);
		return;
	}
	sd_interval_text_half(half, sizeof half, v, runs, factor, decimals);
	sd_interval_text_number(low, sizeof low, factor * v.low, decimals + 1);
	sd_interval_text_number(high, sizeof high, factor * v.high, decimals + 1);
	fprintf(f, "<td title=\"95 %%: %s to %s\">%s%s <span class=\"soft\">±%s</span></td>", low,
		high, number, unit, half);
}

static void put_titled(FILE *f, const char *class, const char *whole, const char *shown)
{
	fprintf(f, "<span class=\"%s\" title=\"", class);
	sd_html_text(f, whole);
	fputs("\">", f);
	sd_html_text(f, shown);
}

/* Short names, and the whole ones under the pointer. */
void sd_html_place(FILE *f, const struct sd_where *w, const char *folder)
{
	char *const name = w->function ? sd_name_function(w->function) : NULL;
	size_t n = 0;
	const char *const region = w->function ? sd_code_place_region(w->function, &n) : NULL;
	char within[400] = "";

	put_titled(f, "code", w->function ? w->function : "",
		name          ? name
		: w->function ? w->function
			      : "unknown function");
	fputs("</span>", f);
	free(name);
	if (w->file && region) {
		/* its name has the file */
		sd_code_place_within(
			region, n, sd_name_base(w->file), w->line, within, sizeof within);
		if (*within) {
			put_titled(f, "soft code", sd_near_path(w->file, folder), within);
			fputs("</span>", f);
		}
	} else if (w->file) {
		fputs(" ", f);
		put_titled(f, "soft code", sd_near_path(w->file, folder), sd_name_base(w->file));
		if (w->line)
			fprintf(f, ":%u", w->line);
		fputs("</span>", f);
	}
}
