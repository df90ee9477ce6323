#include "export/folded_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "page/sanitize.h"

/* Whole microseconds: what flame-graph programs count in. Stacks below one are left out. */
static int print(FILE *f, const struct sd_report_style *s, int both)
{
	const struct sd_folded_stacks *all = s ? s->folded : NULL;
	int rc = 0;

	for (size_t i = 0; all && rc == 0 && i < all->n; i++) {
		const double before = round(all->row[i].before), after = round(all->row[i].after);
		char *stack;

		if (!(after >= 1 || (both && before >= 1)))
			continue;
		stack = sd_sanitize(all->row[i].stack);
		if (!stack)
			rc = -ENOMEM;
		else if (both)
			fprintf(f, "%s %.0f %.0f\n", stack, before, after);
		else
			fprintf(f, "%s %.0f\n", stack, after);
		free(stack);
	}
	if (rc == 0 && (fflush(f) != 0 || ferror(f)))
		rc = -EIO;
	return rc;
}

int sd_folded_text(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	(void)r;
	(void)a;
	return print(f, s, 0);
}

int sd_folded_text_diff(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	(void)r;
	(void)a;
	return print(f, s, 1);
}
