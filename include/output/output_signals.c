#include "output/output_signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

void sd_output_signals_hold(struct sd_output_signals *s, int polite)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGXFSZ);
	for (size_t i = 0; polite && i < sizeof ends / sizeof *ends; i++)
		sigaddset(&held, ends[i]);
	pthread_sigmask(SIG_BLOCK, &held, &s->before);
}

void sd_output_signals_release(const struct sd_output_signals *s, int rc)
{
	static const struct timespec now = {0};
	sigset_t limit;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	if (rc == -EFBIG && !sigismember(&s->before, SIGXFSZ))
		sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &s->before, NULL);
}
