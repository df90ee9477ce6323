/* Files whose makers chose how much memory it takes to read them. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"
#include "dwarf/dwarf_units.h"
#include "symbols/debug_file.h"

static uint64_t half_of_memory(void)
{
	char text[4096], kib[32];

	assert_int_equal(sd_textfile_read(NULL, "/proc/meminfo", text, sizeof text), 0);
	assert_int_equal(sd_proc_parse_key(text, "MemAvailable:", kib, sizeof kib), 0);
	return strtoull(kib, NULL, 10) / 2 * 1024;
}

static const char names[] = "\0.shstrtab\0.debug_info\0.debug_str\0.debug_abbrev\0.debug_line";

static Elf_Scn *add_section(Elf *elf, unsigned name, unsigned type, void *bytes, size_t size)
{
	Elf_Scn *const scn = elf_newscn(elf);
	Elf_Data *const data = elf_newdata(scn);
	Elf64_Shdr *const head = elf64_getshdr(scn);

	assert_non_null(data);
	assert_non_null(head);
	*data = (Elf_Data){.d_buf = bytes, .d_size = size, .d_align = 1, .d_version = EV_CURRENT};
	head->sh_name = name;
	head->sh_type = type;
	return scn;
}

static Elf *begin_file(int fd)
{
	Elf64_Ehdr *head;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	head = elf64_newehdr(elf);
	assert_non_null(head);
	head->e_ident[EI_DATA] = ELFDATA2LSB;
	head->e_machine = EM_X86_64;
	head->e_type = ET_EXEC;
	head->e_version = EV_CURRENT;
	add_section(elf, 1, SHT_STRTAB, (void *)(uintptr_t)names, sizeof names);
	head->e_shstrndx = 1;
	return elf;
}

/* A file of this machine with a section of DWARF that says that it is of so many bytes. */
static int make_file(uint64_t says)
{
	const int fd = memfd_create("elf", MFD_CLOEXEC); /* others could cut it */
	Elf64_Chdr packed = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = says, .ch_addralign = 1};
	unsigned char unit[12] = {8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 0};
	Elf *const elf = begin_file(fd);

	add_section(elf, 11, SHT_PROGBITS, unit, sizeof unit);
	elf64_getshdr(add_section(elf, 23, SHT_PROGBITS, &packed, sizeof packed))->sh_flags =
		says ? SHF_COMPRESSED : 0;
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	return fd;
}

static int has_dwarf(uint64_t says)
{
	struct sd_elf_file f, alt = {0};
	struct sd_target_view view;
	const struct stat author = {0};
	const struct sd_debug_tree in = {.view = &view, .prefix = "", .author = &author};
	Dwarf *d, *shared;

	sd_target_view_ours(&view);
	assert_int_equal(sd_elf_file_open(&f, make_file(says)), 0);
	d = sd_debug_file_dwarf(&f, &in, NULL, &alt, &shared);
	dwarf_end(d);
	sd_elf_file_close(&f);
	return d != NULL;
}

static void what_is_packed_must_fit_into_memory(void **state)
{
	(void)state;
	assert_true(has_dwarf(0));
	assert_false(has_dwarf(half_of_memory() + ((uint64_t)64 << 20)));
	assert_false(has_dwarf(UINT64_MAX));
}

static void holes_must_fit_into_memory(void **state)
{
	struct sd_elf_file f;
	int fd = make_file(0);

	(void)state;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(sd_elf_file_open(&f, fd), 0);
	assert_int_equal(f.size, 1 << 20);
	sd_elf_file_close(&f);
	fd = make_file(0);
	assert_int_equal(ftruncate(fd, (off_t)half_of_memory() + (64 << 20)), 0);
	assert_true(sd_elf_file_open(&f, fd) < 0);
}

/* A unit of the addresses 0x1000 to 0x2000 with so many rows of lines, each one byte. */
static int make_lines(uint32_t rows)
{
	static unsigned char abbrev[] = {
		1, 0x11, 0, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0, 0}; /* stmt_list, low, high */
	static const unsigned char head[] = {0, 0, 0, 0, 4, 0, 27, 0, 0, 0, 1, 1, 1, 0, 14, 13, 0,
		1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 'a', '.', 'c', 0, 0, 0, 0, 0, 0, 9, 2, 0, 0x10,
		0, 0, 0, 0, 0, 0};
	unsigned char unit[32] = {28, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1};
	const uint64_t low = 0x1000, size = 0x1000;
	const uint32_t n = (uint32_t)sizeof head + rows + 5, length = n - 4;
	unsigned char *const line = malloc(n);
	const int fd = memfd_create("elf", MFD_CLOEXEC);
	Elf *const elf = begin_file(fd);

	assert_non_null(line);
	memcpy(line, head, sizeof head);
	memcpy(line, &length, sizeof length);
	memset(line + sizeof head, 14, rows);    /* one line on, at the same address */
	memcpy(line + n - 5, "\2\x10\0\1\1", 5); /* 16 bytes on, the end */
	memcpy(unit + 16, &low, sizeof low);
	memcpy(unit + 24, &size, sizeof size);
	add_section(elf, 11, SHT_PROGBITS, unit, sizeof unit);
	add_section(elf, 34, SHT_PROGBITS, abbrev, sizeof abbrev);
	add_section(elf, 48, SHT_PROGBITS, line, n);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	free(line);
	return fd;
}

/* The library makes a hundred bytes of each. */
static void lines_of_a_unit_are_bounded(void **state)
{
	static const struct {
		uint32_t rows;
		int told;
	} row[] = {{20, 1}, {9u << 20, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_dwarf_units u;
		struct sd_elf_file f;
		struct sd_unit *unit;
		const char *file;
		unsigned line;
		Dwarf *d;

		assert_int_equal(sd_elf_file_open(&f, make_lines(row[i].rows)), 0);
		d = dwarf_begin_elf(f.elf, DWARF_C_READ, NULL);
		assert_non_null(d);
		assert_int_equal(sd_dwarf_units_read(&u, d), 0);
		unit = sd_dwarf_units_at(&u, 0x1000);
		assert_non_null(unit);
		sd_unit_line(unit, 0x1000, &file, &line);
		assert_int_equal(line > 0, row[i].told);
		assert_int_equal(sd_unit_file(unit, 1) != NULL, row[i].told);
		sd_dwarf_units_free(&u);
		dwarf_end(d);
		sd_elf_file_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_packed_must_fit_into_memory),
		cmocka_unit_test(holes_must_fit_into_memory),
		cmocka_unit_test(lines_of_a_unit_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
