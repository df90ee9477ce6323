#include "terminal/progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal/live_table.h"

#define DEFAULT_WIDTH 80

/* "1 h 05 min", "3 min 20 s", "12 s": never more exact than an estimate is. */
static void format_time(double s, char *out, size_t size)
{
	const double whole = s < 0 ? 0 : s < 1e9 ? s : 1e9;
	const unsigned long t = (unsigned long)(whole + 0.5);

	if (t >= 3600)
		snprintf(out, size, "%lu h %02lu min", t / 3600, t % 3600 / 60);
	else if (t >= 60)
		snprintf(out, size, "%lu min %02lu s", t / 60, t % 60);
	else
		snprintf(out, size, "%lu s", t);
}

/* "about 12 s left"; "8 to 28 s left" where experiments may or may not be needed, and "up to 20 s
 * left" while they are made. */
static void format_left(const struct sd_progress *p, char *out, size_t size)
{
	const double least = p->left_s - p->spare_s;
	char from[32], to[32];

	if (p->left_s < 0) {
		snprintf(out, size, "time left after this run");
		return;
	}
	format_time(least, from, sizeof from);
	format_time(p->left_s, to, sizeof to);
	if (strcmp(from, to) == 0)
		snprintf(out, size, "about %s left", to);
	else if (least < .5)
		snprintf(out, size, "up to %s left", to);
	else if (p->left_s < 59.5)
		snprintf(out, size, "%.*s to %s left", (int)strcspn(from, " "), from, to);
	else
		snprintf(out, size, "%s to %s left", from, to);
}

void sd_progress_format(const struct sd_progress *p, char *out, size_t size)
{
	char left[80];
	char cores[64] = "";
	const size_t run = p->done + (p->done < p->planned);

	format_left(p, left, sizeof left);
	if (p->cores > 0)
		snprintf(cores, sizeof cores, " · %u core%s, %.1f s", p->cores,
			p->cores == 1 ? "" : "s", p->run_s > 0 ? p->run_s : 0.0);
	/* more may have been made than were planned: an experiment that asks for another pair */
	snprintf(out, size, "run %zu of %zu%s%s%s · %s", run, run > p->planned ? run : p->planned,
		cores, p->why ? " · " : "", p->why ? p->why : "", left);
}

/* Bytes of the UTF-8 character that starts here; a stray byte counts as one. */
static size_t character(const char *s)
{
	const unsigned char c = (unsigned char)*s;
	const size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

	for (size_t i = 1; i < n; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 1;
	return n;
}

static const char *in_ascii(const char *s, size_t bytes)
{
	if (bytes == 2 && memcmp(s, "±", 2) == 0)
		return "+-";
	if (bytes == 2 && memcmp(s, "·", 2) == 0)
		return "|";
	return "?";
}

void sd_progress_fit(const char *text, size_t width, int ascii, char *out, size_t size)
{
	size_t used = 0, columns = 0;

	while (*text) {
		const size_t bytes = character(text);
		const char *from = text;
		size_t n = bytes, cells = 1;

		if (ascii && (unsigned char)*text >= 0x80) {
			from = in_ascii(text, bytes);
			n = cells = strlen(from);
		}
		if (columns + cells > width || used + n + 1 > size)
			break;
		memcpy(out + used, from, n);
		used += n;
		columns += cells;
		text += bytes;
	}
	if (size > 0)
		out[used] = '\0';
}

/* The terminal may have gone away; a progress line is not worth an error. */
static void put(int fd, const char *text, size_t n)
{
	while (n > 0) {
		const ssize_t done = write(fd, text, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		text += done;
		n -= (size_t)done;
	}
}

void sd_progress_line_open(struct sd_progress_line *line, int fd, int ascii)
{
	const char *const term = getenv("TERM");

	*line = (struct sd_progress_line){.fd = fd, .ascii = ascii};
	line->on = isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

void sd_progress_line_text(struct sd_progress_line *line, const char *text)
{
	char fitted[sizeof line->last], out[sizeof line->last + 8];
	struct winsize w = {0};
	size_t width = DEFAULT_WIDTH;
	int n;

	if (!line->on)
		return;
	if (ioctl(line->fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		width = w.ws_col;
	/* the last column stays free: terminals differ in when they wrap there */
	sd_progress_fit(text, width - 1, line->ascii, fitted, sizeof fitted);
	if (strcmp(fitted, line->last) == 0)
		return;
	memcpy(line->last, fitted, sizeof fitted);
	/* one write, and the rest erased after the text, so that nothing flickers */
	n = snprintf(out, sizeof out, "\r%s\033[K", fitted);
	put(line->fd, out, (size_t)n);
}

/* Rows of the terminal that the table may take: it must never scroll. */
static size_t room(const struct sd_progress_line *line)
{
	struct winsize w = {0};

	return ioctl(line->fd, TIOCGWINSZ, &w) == 0 && w.ws_row > 3 ? w.ws_row - 3u : 0;
}

/* Each line cut to the width, and ended by a newline. */
static void put_above(struct sd_progress_line *line)
{
	char fitted[sizeof line->last + 1];
	struct winsize w = {0};
	size_t width = DEFAULT_WIDTH;

	if (ioctl(line->fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		width = w.ws_col;
	line->n_above = 0;
	for (const char *s = line->above; *s; s = strchr(s, '\n') + 1) {
		char one[256];
		size_t n;

		snprintf(one, sizeof one, "%.*s", (int)strcspn(s, "\n"), s);
		sd_progress_fit(one, width - 1, line->ascii, fitted, sizeof fitted - 1);
		n = strlen(fitted);
		fitted[n] = '\n';
		put(line->fd, fitted, n + 1);
		line->n_above++;
	}
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* The table, and below it what is suspected, where the terminal has room for both. A fresh string
 * or NULL. */
static char *text_above(const struct sd_progress_line *line, const struct sd_progress *p)
{
	const size_t rows = room(line), more = p->glance ? lines_of(p->glance) : 0;
	const int fits = more && rows > more + 1;
	char *const table =
		p->record ? sd_live_table(p->record, p->cores, fits ? rows - more : rows) : NULL;
	char *both;

	if (!table || !fits || asprintf(&both, "%s%s", table, p->glance) < 0)
		return table;
	free(table);
	return both;
}

static void show_above(struct sd_progress_line *line, const struct sd_progress *p)
{
	char *const text = text_above(line, p);

	if (!text || (line->above && strcmp(text, line->above) == 0)) {
		free(text);
		return;
	}
	sd_progress_line_clear(line);
	line->above = text;
	put_above(line);
}

#define PLAIN_S 30.0    /* between plain lines */
#define ESTIMATE_S 10.0 /* who has to wait that long is told so at once */

void sd_progress_line_show(void *ctx, const struct sd_progress *p)
{
	struct sd_progress_line *const line = ctx;
	char text[sizeof line->last];

	sd_progress_format(p, text, sizeof text);
	if (line->on) {
		show_above(line, p);
		sd_progress_line_text(line, text);
	} else if (p->elapsed_s >= line->plain_s + PLAIN_S ||
		   (!line->estimated && p->left_s >= ESTIMATE_S)) {
		char fitted[sizeof line->last + 1];

		line->plain_s = p->elapsed_s;
		line->estimated = 1;
		sd_progress_fit(text, sizeof fitted, line->ascii, fitted, sizeof fitted - 1);
		dprintf(line->fd, "scalediag: %s\n", fitted);
	}
}

void sd_progress_line_clear(struct sd_progress_line *line)
{
	static const char erase[] = "\r\033[K", up[] = "\033[A\033[K";

	if (line->on && (*line->last || line->n_above))
		put(line->fd, erase, sizeof erase - 1);
	for (; line->n_above > 0; line->n_above--)
		put(line->fd, up, sizeof up - 1);
	line->last[0] = '\0';
	free(line->above);
	line->above = NULL;
}
