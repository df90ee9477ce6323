#include "base/out_of_memory.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

noreturn void sd_out_of_memory(void)
{
	static const char text[] = "\nscalediag: not enough memory here (see `ulimit -a`): ended; "
				   "finished runs are kept in the record\n";

	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	_exit(SD_OUT_OF_MEMORY_STATUS);
}

void sd_out_of_memory_of_new(void)
{
	/* std::set_new_handler(void (*)()) by its name in the object file, when the library is
	 * there. Asked for while running: of a weak reference some linkers make a null pointer. */
	union {
		void *found;
		void (*(*set)(void (*handler)(void)))(void);
	} new_handler = {.found = dlsym(RTLD_DEFAULT, "_ZSt15set_new_handlerPFvvE")};

	if (new_handler.found)
		(void)new_handler.set(sd_out_of_memory);
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
