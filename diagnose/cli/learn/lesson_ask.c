#include "learn/lesson_ask.h"

#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

int sd_lesson_ask_can(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

char sd_lesson_ask(const struct sd_cli *cli, const char *question)
{
	struct pollfd typed = {.fd = STDIN_FILENO, .events = POLLIN};
	char line[64];

	if (!sd_lesson_ask_can())
		return 0;
	fputs(question, stdout);
	fflush(stdout);
	/* a signal ends it at once; half a second is for one that came just before */
	while (!*cli->stop && poll(&typed, 1, 500) <= 0)
		;
	if (*cli->stop || !fgets(line, sizeof line, stdin))
		return 0;
	putchar('\n');
	return isalpha((unsigned char)line[0]) ? (char)tolower((unsigned char)line[0]) : 0;
}
