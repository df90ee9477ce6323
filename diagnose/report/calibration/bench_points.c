#include "calibration/bench_points.h"

#include <stdlib.h>

int sd_points_open(struct sd_points *p, const struct sd_profile *profile)
{
	const size_t n = profile->rows.n ? profile->rows.n : 1;

	*p = (struct sd_points){malloc(n * sizeof(double)), malloc(n * sizeof(double)), 0};
	return p->x && p->y;
}

void sd_points_free(struct sd_points *p)
{
	free(p->x);
	free(p->y);
	*p = (struct sd_points){0};
}

void sd_points_draw(
	const struct sd_points *p, struct sd_plot *plot, size_t curve, char mark, const char *name)
{
	plot->curve[curve].x = p->x;
	plot->curve[curve].y = p->y;
	plot->curve[curve].n = p->n;
	plot->curve[curve].mark = mark;
	plot->curve[curve].name = name;
	if (plot->n_curve <= curve)
		plot->n_curve = curve + 1;
}
