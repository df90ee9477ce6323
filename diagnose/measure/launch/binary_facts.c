#include "launch/binary_facts.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/regular_file.h"

/* Names of an OpenMP runtime, or of the variables that one built in reads. */
static const char *const openmp[] = {"libgomp.so", "libomp.so", "libiomp5.so", "GOMP_SPINCOUNT",
	"KMP_BLOCKTIME", "OMP_WAIT_POLICY"};

/* Text that a language's runtime leaves in every program, stripped or not. Their locks call the
 * kernel's futex themselves. */
static const struct {
	const char *language, *text;
} futexes[] = {{"Rust", "RUST_BACKTRACE"}, {"Go", "\xff Go buildinf:"}};

static const char *const allocator[] = {"jemalloc", "tcmalloc", "mimalloc"};

#define MOST_BYTES ((size_t)4 << 30) /* of a larger one nothing is known */

/* Libraries that have no OpenMP runtime in them and load none. */
static const char *const plain[] = {"libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so",
	"libstdc++.so", "libgcc_s.so", "libatomic.so", "ld-linux", "libmvec.so"};

static int has(const unsigned char *bytes, size_t n, const char *text)
{
	return memmem(bytes, n, text, strlen(text)) != NULL;
}

/* The name of a library that ends at `at`, as a string: letters of file names before it. */
static size_t name_before(const unsigned char *bytes, size_t at)
{
	size_t from = at;

	while (from > 0 && at - from < 64 &&
		(bytes[from - 1] == '_' || bytes[from - 1] == '-' || bytes[from - 1] == '+' ||
			bytes[from - 1] == '.' ||
			(bytes[from - 1] >= '0' && bytes[from - 1] <= '9') ||
			((bytes[from - 1] | 32) >= 'a' && (bytes[from - 1] | 32) <= 'z')))
		from--;
	return from;
}

static int is_plain(const unsigned char *name, size_t n)
{
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (n >= strlen(plain[i]) && memcmp(name, plain[i], strlen(plain[i])) == 0)
			return 1;
	return 0;
}

/* Does it name a library that is not one of the plain ones? */
static int names_others(const unsigned char *bytes, size_t n)
{
	const unsigned char *hit = bytes;

	while ((hit = memmem(hit, n - (size_t)(hit - bytes), ".so", 3))) {
		const size_t at = (size_t)(hit - bytes), from = name_before(bytes, at);

		if (at - from > 3 && memcmp(bytes + from, "lib", 3) == 0 &&
			!is_plain(bytes + from, at + 3 - from))
			return 1;
		hit += 3;
	}
	return 0;
}

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE
#endif

/* The loader that the program headers ask for. */
static void find_loader(const unsigned char *bytes, size_t n, struct sd_binary_facts *out)
{
	Elf64_Ehdr e;
	Elf64_Phdr p;

	if (n < sizeof e || bytes[EI_CLASS] != ELFCLASS64)
		return;
	memcpy(&e, bytes, sizeof e);
	out->native = e.e_machine == MACHINE;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		const uint64_t at = e.e_phoff + (uint64_t)i * sizeof p;

		if (e.e_phoff > n || at > n || n - at < sizeof p)
			return;
		memcpy(&p, bytes + at, sizeof p);
		if (p.p_type != PT_INTERP || p.p_offset > n || p.p_filesz > n - p.p_offset)
			continue;
		out->dynamic = 1;
		out->glibc = has(bytes + p.p_offset, p.p_filesz, "ld-linux");
	}
}

/* Has a symbol table of what others may call a function of this name in it? */
static int defines(Elf *elf, Elf_Scn *section, const char *name)
{
	Elf_Data *const data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!data || !gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
		return 0;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		const char *const text = symbol.st_shndx == SHN_UNDEF
						 ? NULL
						 : elf_strptr(elf, header.sh_link, symbol.st_name);

		if (text && strcmp(text, name) == 0)
			return 1;
	}
	return 0;
}

static int defines_malloc(const unsigned char *bytes, size_t n)
{
	Elf_Scn *section = NULL;
	Elf *elf;
	int found = 0;

	/* libelf reads it, and takes it for its own: it writes to nothing it was given */
	elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory((char *)(uintptr_t)bytes, n);
	while (elf && !found && (section = elf_nextscn(elf, section)) != NULL)
		found = defines(elf, section, "malloc");
	elf_end(elf);
	return found;
}

void sd_binary_facts_parse(const unsigned char *bytes, size_t n, struct sd_binary_facts *out)
{
	*out = (struct sd_binary_facts){.openmp = -1};
	if (n < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return;
	out->elf = 1;
	find_loader(bytes, n, out);
	for (size_t i = 0; i < sizeof openmp / sizeof *openmp; i++)
		if (has(bytes, n, openmp[i]))
			out->openmp = 1;
	if (out->openmp < 0 && !has(bytes, n, "dlopen") && !names_others(bytes, n))
		out->openmp = 0;
	for (size_t i = 0; i < sizeof futexes / sizeof *futexes; i++)
		if (has(bytes, n, futexes[i].text))
			out->futexes = futexes[i].language;
	for (size_t i = 0; i < sizeof allocator / sizeof *allocator; i++)
		if (has(bytes, n, allocator[i]))
			snprintf(out->allocator, sizeof out->allocator, "%s", allocator[i]);
	if (!out->allocator[0] && out->dynamic && defines_malloc(bytes, n))
		snprintf(out->allocator, sizeof out->allocator, "malloc");
}

/* The absolute path in a script's first line; 0 when there is none. */
static int interpreter(const unsigned char *bytes, size_t n, char *path, size_t size)
{
	size_t at = 2, end;

	if (n < 3 || memcmp(bytes, "#!", 2) != 0)
		return 0;
	while (at < n && (bytes[at] == ' ' || bytes[at] == '\t'))
		at++;
	for (end = at; end < n && bytes[end] > ' '; end++)
		;
	if (end == at || bytes[at] != '/' || end - at >= size)
		return 0;
	memcpy(path, bytes + at, end - at);
	path[end - at] = '\0';
	/* what it looks up in turn is not followed */
	return !(end - at >= 4 && memcmp(bytes + end - 4, "/env", 4) == 0);
}

static int look(const char *path, struct sd_binary_facts *out, char *next, size_t size)
{
	struct stat st;
	const int fd = sd_regular_file_open(path, 0, &st);
	unsigned char *bytes;
	size_t n;

	if (fd < 0)
		return fd;
	bytes = sd_regular_file_read(fd, MOST_BYTES, &n);
	if (bytes && n) {
		sd_binary_facts_parse(bytes, n, out);
		out->privileged = (st.st_mode & (S_ISUID | S_ISGID)) != 0 ||
				  fgetxattr(fd, "security.capability", NULL, 0) > 0;
		if (!out->elf && !interpreter(bytes, n, next, size))
			next[0] = '\0';
	}
	free(bytes);
	close(fd);
	return 0;
}

int sd_binary_facts_look(const char *path, struct sd_binary_facts *out)
{
	char next[256] = "", last[256] = "";
	int rc;

	*out = (struct sd_binary_facts){.openmp = -1};
	rc = look(path, out, next, sizeof next);
	if (!rc && next[0]) {
		rc = look(next, out, last, sizeof last);
		/* a script loads what it likes */
		out->openmp = out->openmp == 1 ? 1 : -1;
	}
	if (rc)
		*out = (struct sd_binary_facts){.openmp = -1};
	return rc;
}
