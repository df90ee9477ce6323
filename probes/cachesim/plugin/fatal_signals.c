#include "plugin/fatal_signals.h"

#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define SLOT R_X86_64_JUMP_SLOT
#elif defined(__aarch64__)
#define SLOT R_AARCH64_JUMP_SLOT
#endif

/*
 * QEMU gives the signal its default action back and calls kill() for itself, once, and nowhere else
 * (linux-user/signal.c, dump_core_and_abort). Its table of library functions is where we are called
 * instead; a guest's own kill() does not go through it.
 */
static void (*hears)(int signal);

static int kill_itself(pid_t pid, int number)
{
	if (pid == getpid())
		hears(number);
	return kill(pid, number);
}

#ifdef SLOT
struct dynamic {
	const ElfW(Rela) * rela;
	size_t bytes;
	const ElfW(Sym) * symbol;
	const char *name;
};

/* Addresses, which the loader has made absolute already, or not. */
static const void *at(const struct dl_phdr_info *info, ElfW(Addr) a)
{
	const uintptr_t absolute = a < info->dlpi_addr ? a + info->dlpi_addr : a;
	const void *out;

	memcpy(&out, &absolute, sizeof out);
	return out;
}

static struct dynamic dynamic_of(const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
	const ElfW(Dyn) *d = at(info, segment->p_vaddr);
	struct dynamic out = {0};

	for (; d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_JMPREL:
			out.rela = at(info, d->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			out.bytes = d->d_un.d_val;
			break;
		case DT_SYMTAB:
			out.symbol = at(info, d->d_un.d_ptr);
			break;
		case DT_STRTAB:
			out.name = at(info, d->d_un.d_ptr);
			break;
		default:
			break;
		}
	return out;
}

/* The table is read-only once the program runs, where it was linked so. */
static void replace(const struct dl_phdr_info *info, ElfW(Addr) offset)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t address = info->dlpi_addr + offset, start = address & ~(page - 1);
	int (*const with)(pid_t, int) = kill_itself;
	int fixed = 0;
	void *slot, *first;

	memcpy(&slot, &address, sizeof slot);
	memcpy(&first, &start, sizeof first);
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
			fixed |= offset - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz;
	if (fixed && mprotect(first, page, PROT_READ | PROT_WRITE))
		return;
	memcpy(slot, &with, sizeof with);
	if (fixed)
		mprotect(first, page, PROT_READ);
}

/* The first is the program itself. */
static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct dynamic d = {0};

	(void)size, (void)data;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = dynamic_of(info, &info->dlpi_phdr[i]);
	for (size_t i = 0; d.rela && d.symbol && d.name && i < d.bytes / sizeof *d.rela; i++)
		if (ELF64_R_TYPE(d.rela[i].r_info) == SLOT &&
			strcmp(d.name + d.symbol[ELF64_R_SYM(d.rela[i].r_info)].st_name, "kill") ==
				0)
			replace(info, d.rela[i].r_offset);
	return 1;
}
#endif

void sim_fatal_signals_hear(void (*last)(int signal))
{
	hears = last;
#ifdef SLOT
	dl_iterate_phdr(look, NULL);
#else
	(void)kill_itself;
#endif
}
