#include "symbols/elf_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

const char *sd_elf_symbols_name(const struct sd_elf_symbols *f, const struct sd_function *one)
{
	const char *const name =
		elf_strptr(f->table[one->table].elf, f->table[one->table].names, one->name);

	return name ? name : "";
}

/* Whether a symbol is of the kind; marks within functions and assemblers' own labels are not. */
static int is_wanted(const struct sd_elf_symbols *f, const GElf_Sym *s, const GElf_Shdr *section)
{
	const int type = GELF_ST_TYPE(s->st_info);

	if (f->kind == SD_ELF_SYMBOLS_DATA)
		return type == STT_OBJECT && s->st_size > 0;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return 1;
	return type == STT_NOTYPE && (section->sh_flags & SHF_EXECINSTR) &&
	       !(section->sh_flags & SHF_TLS);
}

static int push(struct sd_elf_symbols *f, const struct sd_function *one)
{
	return SD_APPEND(f->item, f->n, one);
}

/* One symbol; `section` is a cache of the header of section *number. 1 added, 0 not, -ENOMEM. */
static int add_one(struct sd_elf_symbols *f, const GElf_Sym *s, int complete, GElf_Shdr *section,
	size_t *number)
{
	Elf *const elf = f->table[f->n_table - 1].elf;
	struct sd_function one = {.start = s->st_value,
		.end = s->st_value + s->st_size,
		.name = s->st_name,
		.table = (unsigned char)(f->n_table - 1),
		.bind = (unsigned char)GELF_ST_BIND(s->st_info),
		.sized = s->st_size > 0};
	const char *name;

	if (s->st_shndx == SHN_UNDEF || s->st_shndx >= SHN_LORESERVE || one.end < one.start ||
		(!one.sized && !complete))
		return 0;
	if (*number != s->st_shndx && !gelf_getshdr(elf_getscn(elf, s->st_shndx), section))
		return 0;
	*number = s->st_shndx;
	if (!is_wanted(f, s, section))
		return 0;
	if (!one.sized)
		one.end = section->sh_addr + section->sh_size;
	if (one.end <= one.start)
		return 0;
	name = sd_elf_symbols_name(f, &one);
	if (!*name || *name == '$' || strncmp(name, ".L", 2) == 0)
		return 0;
	return push(f, &one) == 0 ? 1 : -ENOMEM;
}

long sd_elf_symbols_add(struct sd_elf_symbols *out, const struct sd_elf_file *f, unsigned type)
{
	size_t number = SHN_UNDEF;
	GElf_Shdr header, section = {0};
	Elf_Scn *const scn = sd_elf_file_section(f, NULL, type, &header);
	Elf_Data *const d = scn ? elf_getdata(scn, NULL) : NULL;
	const size_t each = f->elf ? gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
	const size_t before = out->n;

	if (!d || !each || out->n_table == SD_ELF_SYMBOLS_TABLES)
		return 0;
	out->table[out->n_table].elf = f->elf;
	out->table[out->n_table++].names = header.sh_link;
	for (size_t i = 0; i < d->d_size / each && i <= INT32_MAX; i++) {
		GElf_Sym s;

		if (gelf_getsym(d, (int)i, &s) &&
			add_one(out, &s, type == SHT_SYMTAB, &section, &number) < 0)
			return -ENOMEM;
	}
	return (long)(out->n - before);
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* By start; of several at one address the last is the one a programmer knows: with a size, global
 * before weak before local, with the fewest underscores in front, then the first in the alphabet.
 */
static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct sd_function *const a = pa, *const b = pb;
	const int local_a = a->bind == STB_LOCAL, local_b = b->bind == STB_LOCAL;
	const char *na, *nb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized - b->sized;
	if (local_a != local_b)
		return local_b - local_a;
	na = sd_elf_symbols_name(ctx, a);
	nb = sd_elf_symbols_name(ctx, b);
	if (underscores(na) != underscores(nb))
		return underscores(na) > underscores(nb) ? -1 : 1;
	if ((a->bind == STB_WEAK) != (b->bind == STB_WEAK))
		return a->bind == STB_WEAK ? -1 : 1;
	return -strcmp(na, nb);
}

void sd_elf_symbols_sort(struct sd_elf_symbols *f)
{
	uint64_t reach = 0;
	size_t n = 0;

	if (!f->n)
		return;
	qsort_r(f->item, f->n, sizeof *f->item, compare, f);
	for (size_t i = 0; i < f->n; i++) {
		struct sd_function one = f->item[i];

		if (i + 1 < f->n && f->item[i + 1].start == one.start)
			continue;
		/* a label within a function is not one */
		if (!one.sized && one.start < reach)
			continue;
		if (!one.sized && i + 1 < f->n && f->item[i + 1].start < one.end)
			one.end = f->item[i + 1].start;
		if (one.end > reach)
			reach = one.end;
		one.reach = reach;
		f->item[n++] = one;
	}
	f->n = n;
}

const struct sd_function *sd_elf_symbols_at(const struct sd_elf_symbols *f, uint64_t vaddr)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (f->item[mid].start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	/* bounded: true files nest a few symbols, made-up ones a million */
	for (size_t steps = 0; low-- > 0 && f->item[low].reach > vaddr && steps < 256; steps++)
		if (f->item[low].end > vaddr)
			return &f->item[low];
	return NULL;
}

void sd_elf_symbols_free(struct sd_elf_symbols *f)
{
	free(f->item);
	*f = (struct sd_elf_symbols){0};
}
