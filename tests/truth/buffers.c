/* Messages composed in buffers. */
#include <string.h>
#include <sys/mman.h>

#include "team.h"
#include "work.h"

#define MESSAGES 3000
#define BYTES (256u << 10)

static char *get(void)
{
	char *const p =
		mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static void part(const struct team_member *m)
{
	char *buffer = get();

	for (unsigned i = m->id; i < MESSAGES; i += m->n) {
#ifndef FIXED
		munmap(buffer, BYTES);
		buffer = get();
#endif
		for (unsigned at = 0; at < BYTES; at += 4096)
			buffer[at] = (char)i;
		work(.2 / MESSAGES);
	}
	munmap(buffer, BYTES);
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
