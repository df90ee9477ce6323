#include <errno.h>
#include <stdlib.h>

#include "comparison/comparison_report.h"
#include "page/markup.h"
#include "render/render.h"

static void put_fate(FILE *f, const struct sd_comparison *c, enum sd_fate fate, const char *head)
{
	int first = 1;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		char verdicts[SD_COMPARISON_VERDICTS];

		if (c->cause[i].fate != fate)
			continue;
		sd_comparison_verdicts(&c->cause[i], verdicts);
		fprintf(f, "%s%s (%s)", first ? head : ", ", sd_cause_info[c->cause[i].cause].label,
			verdicts);
		first = 0;
	}
	if (!first)
		fputc('\n', f);
}

int sd_comparison_markdown(FILE *f, const struct sd_comparison *c, const struct sd_sides *s)
{
	const struct sd_fact_rows points = sd_comparison_points(c);
	char *const sentence = sd_comparison_sentence(c);

	fputs("### scalediag: ", f);
	sd_markup_markdown(f, s->before);
	fputs(", then ", f);
	sd_markup_markdown(f, s->after);
	fprintf(f, "\n\n**%s**\n\n", sentence ? sentence : "?");
	free(sentence);
	sd_render_markdown(f, &points);
	fputc('\n', f);
	put_fate(f, c, SD_FATE_WENT, "- gone: ");
	put_fate(f, c, SD_FATE_SHRANK, "- less: ");
	put_fate(f, c, SD_FATE_CAME, "- new: ");
	put_fate(f, c, SD_FATE_STAYED, "- stays: ");
	put_fate(f, c, SD_FATE_UNKNOWN, "- open: ");
	for (size_t i = 0; i < c->warnings.n; i++) {
		fputs("\n> Careful: ", f);
		sd_markup_markdown(f, c->warnings.text[i]);
		fputc('\n', f);
	}
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
