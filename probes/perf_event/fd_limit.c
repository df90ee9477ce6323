#include "perf_event/fd_limit.h"

int sd_fd_limit_raise(struct sd_fd_limit *f)
{
	struct rlimit more;

	if (f->raised || getrlimit(RLIMIT_NOFILE, &f->before))
		return 0;
	more = (struct rlimit){.rlim_cur = f->before.rlim_max, .rlim_max = f->before.rlim_max};
	f->raised = f->before.rlim_cur < f->before.rlim_max && setrlimit(RLIMIT_NOFILE, &more) == 0;
	return f->raised;
}

void sd_fd_limit_restore(struct sd_fd_limit *f)
{
	if (f->raised)
		setrlimit(RLIMIT_NOFILE, &f->before);
	f->raised = 0;
}
