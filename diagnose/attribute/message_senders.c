#include "attribute/message_senders.h"

#include <errno.h>
#include <stdlib.h>

int sd_message_senders_find(const struct sd_timeline *t, unsigned **out)
{
	size_t *const since = calloc(t->n_thread + 1, sizeof *since); /* moment + 1; 0 no wait */
	int rc = since ? 0 : -ENOMEM;

	*out = NULL;
	for (size_t i = 0; !rc && i < t->n; i++) {
		const struct sd_moment *const m = &t->moment[i];
		const int asks =
			m->kind == SD_MOMENT_OUT &&
			(m->activity == SD_ACTIVITY_PIPE || m->activity == SD_ACTIVITY_SOCKET);

		if (m->kind != SD_MOMENT_WAKE) {
			since[m->thread] = asks ? i + 1 : 0;
			continue;
		}
		if (!since[m->other] || m->thread == m->other)
			continue;
		if (!*out && !(*out = calloc(t->n, sizeof **out)))
			rc = -ENOMEM;
		else
			(*out)[since[m->other] - 1] = m->thread + 1;
		since[m->other] = 0;
	}
	free(since);
	return rc;
}
