/* Records appended to a journal. */
#include <stdio.h>
#include <unistd.h>

#include "team.h"
#include "work.h"

#define RECORDS 160

#ifdef FIXED
static const unsigned flush_every = RECORDS;
#else
static const unsigned flush_every = 1;
#endif

static int journal;

static void part(const struct team_member *m)
{
	static const char record[4096] = "record";

	for (unsigned i = m->id; i < RECORDS; i += m->n) {
		work(.1 / RECORDS);
		if (pwrite(journal, record, sizeof record, (long)sizeof record * i) < 0)
			abort();
		if (i % flush_every == 0 && fsync(journal))
			abort();
	}
}

int main(void)
{
	char name[] = "journal-XXXXXX";

	journal = mkstemp(name);
	if (journal < 0 || unlink(name))
		return 1;
	team_run(work_threads(), part, NULL);
	return 0;
}
