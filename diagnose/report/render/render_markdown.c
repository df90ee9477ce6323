#include "render/render.h"

#include "page/markup.h"

static void put_cell(FILE *f, const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	const struct sd_cell *x)
{
	char number[96], half[48];

	if (!sd_fact_is_number(x)) {
		sd_markup_markdown(f, x->text ? x->text : "");
		return;
	}
	sd_fact_number(rows, c, x, number, sizeof number);
	sd_fact_half(rows, c, x, half, sizeof half);
	fprintf(f, "%s%s%s", number, *half && sd_fact_has(x) ? " ± " : "",
		sd_fact_has(x) ? half : "");
}

void sd_render_markdown(FILE *f, const struct sd_fact_rows *rows)
{
	for (size_t i = 0; i < rows->n + 2; i++) {
		if (i > 1 && !sd_fact_wanted(rows, i - 2))
			continue;
		fputc('|', f);
		for (size_t k = 0; k < rows->table->n_column; k++) {
			const struct sd_fact_column *const c = &rows->table->column[k];
			struct sd_cell x;

			if (c->type == SD_CELL_BAR || !sd_fact_shown(rows, c, SD_IN_MARKDOWN))
				continue;
			if (i == 0)
				fprintf(f, " %s |", c->head);
			else if (i == 1)
				fputs(sd_fact_is_word(c) ? "---|" : "--:|", f);
			else {
				sd_fact_read(rows, c, i - 2, &x);
				fputc(' ', f);
				put_cell(f, rows, c, &x);
				fputs(" |", f);
			}
		}
		fputc('\n', f);
	}
}
