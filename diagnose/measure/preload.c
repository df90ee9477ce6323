#include "preload.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_HEADERS 128 /* no linker makes as many */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE /* the library says nothing there */
#endif

/* The loader that it asks for: "" none; NULL unreadable. */
static const char *loader(int fd, const Elf64_Ehdr *h, char *out, size_t size)
{
	out[0] = '\0';
	if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum > PROGRAM_HEADERS)
		return NULL;
	for (unsigned i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr p;
		size_t n;

		if (pread(fd, &p, sizeof p, (off_t)(h->e_phoff + i * sizeof p)) != sizeof p)
			return NULL;
		if (p.p_type != PT_INTERP)
			continue;
		n = p.p_filesz < size ? p.p_filesz : size - 1;
		if (pread(fd, out, n, (off_t)p.p_offset) != (ssize_t)n)
			return NULL;
		out[n] = '\0';
		return out;
	}
	return out;
}

const char *sd_preload_refused(const char *program)
{
	const int fd = open(program, O_RDONLY | O_CLOEXEC);
	char name[256];
	const char *asked, *why = NULL;
	Elf64_Ehdr h;

	if (fd < 0 || pread(fd, &h, sizeof h, 0) != sizeof h ||
		memcmp(h.e_ident, ELFMAG, SELFMAG) != 0) {
		why = "the program's file cannot be read";
	} else if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != MACHINE) {
		why = "the program is for another machine than this one";
	} else if (!(asked = loader(fd, &h, name, sizeof name))) {
		why = "the program's file is damaged";
	} else if (!*asked) {
		why = "the program is static";
	} else if (!strstr(asked, "/ld-linux")) {
		why = "the program's C library is not glibc";
	}
	if (fd >= 0)
		close(fd);
	return why;
}

char *sd_preload_word(const char *library, char *const *envp)
{
	const char *before = "";
	char *word = NULL;

	for (size_t i = 0; envp && envp[i]; i++)
		if (strncmp(envp[i], "LD_PRELOAD=", 11) == 0)
			before = envp[i] + 11;
	return asprintf(&word, "LD_PRELOAD=%s%s%s", library, *before ? ":" : "", before) < 0 ? NULL
											     : word;
}
