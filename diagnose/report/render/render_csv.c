#include "render/render.h"

#include "page/markup.h"

#define END "\r\n"

static void put_cell(FILE *f, const struct sd_cell *x)
{
	if (sd_fact_is_number(x)) {
		if (sd_fact_has(x))
			fprintf(f, "%.12g", x->number.value);
	} else if (x->text)
		sd_markup_csv(f, x->text);
}

void sd_render_csv(FILE *f, const struct sd_fact_rows *rows)
{
	for (size_t i = 0; i <= rows->n; i++) {
		const char *between = "";

		for (size_t k = 0; k < rows->table->n_column; k++) {
			const struct sd_fact_column *const c = &rows->table->column[k];
			struct sd_cell x;

			if (!c->key)
				continue;
			fputs(between, f);
			between = ",";
			if (i == 0) {
				fputs(c->key, f);
				continue;
			}
			sd_fact_read(rows, c, i - 1, &x);
			put_cell(f, &x);
		}
		fputs(END, f);
	}
}
