#include "lines/lines_words.h"

#include <string.h>

#include "analysis/line_memory.h"

const char *sd_lines_count(double v, char out[40])
{
	char digits[32];
	size_t n, at = 0;

	if (!(v < 1e15)) {
		snprintf(out, 40, "%.4g", v);
		return out;
	}
	snprintf(digits, sizeof digits, "%.0f", v < 0 ? 0 : v);
	n = strlen(digits);
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

const char *sd_lines_bytes(double v, char out[40])
{
	static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	size_t u = 0;

	while (v >= 1024 && u + 1 < sizeof unit / sizeof *unit) {
		v /= 1024;
		u++;
	}
	snprintf(out, 40, "%.4g %s", v, unit[u]);
	return out;
}

const char *sd_lines_name(const struct sd_stacks *s, unsigned text)
{
	return text && text < s->n_text ? s->text[text] : NULL;
}

const char *sd_lines_blind(const struct sd_record *r, const struct sd_contested_lines *l)
{
	if (l->simulated)
		return l->simulated->blind[0] ? l->simulated->blind : NULL;
	for (size_t i = 0; l->native && i < l->n_matter; i++)
		if (!l->line[i].line->site && !l->line[i].native->shared &&
			sd_line_memory_is_heap(sd_lines_name(&r->stacks, l->line[i].line->name)))
			return sd_line_memory_unasked(l->native);
	return NULL;
}

double sd_lines_instructions(const struct sd_simulated *s)
{
	double all = 0;

	for (size_t i = 0; i < s->n_thread; i++)
		all += s->thread[i].instructions;
	return all;
}
