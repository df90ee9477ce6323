#include "base/out_of_memory.h"

#include <sys/mman.h>
#include <unistd.h>

noreturn void sd_out_of_memory(void)
{
	static const char text[] = "\nscalediag: not enough memory here (see `ulimit -a`): ended; "
				   "finished runs are kept in the record\n";

	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	_exit(SD_OUT_OF_MEMORY_STATUS);
}

int sd_out_of_memory_room(unsigned long bytes)
{
	void *const room =
		mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		return 0;
	munmap(room, bytes);
	return 1;
}
