#include "terminal/terminal_style.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_MIN 60
#define WIDTH_MAX 120

int sd_terminal_style_ascii(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static unsigned width_of(int fd)
{
	struct winsize w = {0};

	if (ioctl(fd, TIOCGWINSZ, &w) < 0 || w.ws_col == 0)
		return 0;
	return w.ws_col < WIDTH_MIN ? WIDTH_MIN : w.ws_col > WIDTH_MAX ? WIDTH_MAX : w.ws_col;
}

struct sd_report_style sd_terminal_style_of(FILE *f, const char *record_path)
{
	struct sd_report_style s = {.record_path = record_path, .ascii = sd_terminal_style_ascii()};
	const char *const term = getenv("TERM"), *const no = getenv("NO_COLOR");

	if (!isatty(fileno(f)))
		return s;
	s.width = width_of(fileno(f));
	s.colour = term && *term && strcmp(term, "dumb") != 0 && !(no && *no);
	return s;
}
