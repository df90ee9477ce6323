/*
 * Small terminal plots: curves of points in a box of characters.
 */
#ifndef SD_PLOT_H
#define SD_PLOT_H

#include <stddef.h>

#include "page/page.h"

#define SD_PLOT_CURVES 4

struct sd_plot {
	const char *x_label, *y_label;
	int log_x, log_y;
	unsigned columns, rows; /* of the box, without axes */
	/* one sign a curve */
	struct {
		const double *x, *y;
		size_t n;
		char mark;
		const char *name;
	} curve[SD_PLOT_CURVES];
	size_t n_curve;
	/* how an x is written below the axis: bytes in KiB, MiB, or plain */
	int x_bytes;
};

/* Draws it; nothing if no curve has two points. Leaves out points that are not finite, or not
 * positive on a log axis. */
void sd_plot_draw(struct sd_page *p, const struct sd_plot *plot);

/* "48 KiB", "2 MiB", "1.5 GiB". */
void sd_plot_bytes(double bytes, char *out, size_t size);

#endif
