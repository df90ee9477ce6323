#include "resolve/goroutines.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "symbols/elf_file.h"
#include "symbols/task_runtimes.h"

#define LOOK_NS UINT64_C(50000000)
#define NEAR_NS UINT64_C(200000000)
#define SEEN 8192u
#define PCS 65536u
#define STACK 4096u /* bytes of each stack that are searched for callers */
#define BELOW 16u   /* on arm64 the frame pointer is that much below sp at most */

/* Words of struct g. */
enum { STACK_LOW, STACK_HIGH, SP = 7, PC, SELF, CTXT, RET, LR, BP, WORDS };

/* ---- the program ----------------------------------------------------------------------------- */

/* The values of two variables' symbols; 0: it has none. */
static void find_variables(Elf *elf, Elf_Scn *section, uint64_t *length, uint64_t *array)
{
	Elf_Data *const data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!data || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return;
	for (int i = 0; gelf_getsym(data, i, &symbol) && !(*length && *array); i++) {
		const char *const name = elf_strptr(elf, header.sh_link, symbol.st_name);

		if (name && strcmp(name, "runtime.allglen") == 0)
			*length = symbol.st_value;
		if (name && strcmp(name, "runtime.allgptr") == 0)
			*array = symbol.st_value;
	}
}

static void search(struct sd_goroutines *g, const char *path)
{
	const int fd = sd_elf_file_descriptor(path);
	struct sd_elf_file f = {0};
	GElf_Shdr header;
	Elf_Scn *section;

	g->length = g->array = 0;
	if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
		return;
	/* not mapped and not copied: it may be large, or be truncated meanwhile */
	f.elf = elf_begin(fd, ELF_C_READ, NULL);
	if (f.elf && elf_kind(f.elf) == ELF_K_ELF && gelf_getclass(f.elf) == ELFCLASS64 &&
		sd_task_runtimes_in(&f)) {
		section = sd_elf_file_section(&f, NULL, SHT_SYMTAB, &header);
		if (section)
			find_variables(f.elf, section, &g->length, &g->array);
	}
	elf_end(f.elf);
	close(fd);
}

/* How far from the addresses in its file the program is loaded: by where it begins. */
static int place(struct sd_goroutines *g, const char *program)
{
	Elf64_auxv_t entry;
	Elf64_Ehdr header;
	char path[4096];
	FILE *f;

	f = fopen(program, "re");
	if (!f || fread(&header, sizeof header, 1, f) != 1)
		header.e_entry = 0;
	if (f)
		fclose(f);
	snprintf(path, sizeof path, "%s/proc/%d/auxv", g->root, g->pid);
	f = fopen(path, "re");
	while (f && fread(&entry, sizeof entry, 1, f) == 1 && entry.a_type != AT_NULL)
		if (entry.a_type == AT_ENTRY && header.e_entry) {
			g->bias = entry.a_un.a_val - header.e_entry;
			g->placed = 1;
		}
	if (f)
		fclose(f);
	return g->placed;
}

/* Whether the process runs a program of Go, whose variables are known then. */
static int is_go(struct sd_goroutines *g)
{
	char path[4096];
	struct stat st;

	if (snprintf(path, sizeof path, "%s/proc/%d/exe", g->root, g->pid) >= (int)sizeof path ||
		stat(path, &st))
		return 0;
	if (st.st_dev != g->device || st.st_ino != g->inode) {
		g->device = st.st_dev;
		g->inode = st.st_ino;
		g->placed = 0;
		search(g, path);
	}
	if (!g->length || !g->array)
		return 0;
	return g->placed || place(g, path);
}

/* ---- its memory ------------------------------------------------------------------------------ */

/* An address of the other process, which only the kernel follows. */
static struct iovec there(uint64_t address, size_t size)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	return (struct iovec){.iov_base = (void *)(uintptr_t)address, .iov_len = size};
}

static int is_read(const struct sd_goroutines *g, const struct iovec *from, unsigned n, void *to)
{
	struct iovec here = {.iov_base = to};

	for (unsigned i = 0; i < n; i++)
		here.iov_len += from[i].iov_len;
	return process_vm_readv(g->pid, &here, 1, from, n, 0) == (ssize_t)here.iov_len;
}

/* The addresses of some goroutines, and which the first of them is; how many. */
static size_t list(struct sd_goroutines *g, uint64_t *address)
{
	const struct iovec variable[] = {
		there(g->length + g->bias, 8), there(g->array + g->bias, 8)};
	struct iovec some;
	uint64_t value[2];
	size_t n;

	if (!is_read(g, variable, 2, value) || !value[0])
		return 0;
	if (g->turn >= value[0])
		g->turn = 0;
	n = value[0] - g->turn < SD_GOROUTINES_LOOK ? (size_t)(value[0] - g->turn)
						    : SD_GOROUTINES_LOOK;
	some = there(value[1] + 8 * g->turn, 8 * n);
	/* those that were looked at are others the next time */
	if (value[0] > SD_GOROUTINES_LOOK) {
		memset(g->last, 0, sizeof g->last);
		g->turn += n;
	}
	return is_read(g, &some, 1, address) ? n : 0;
}

static size_t callers(const uint64_t word[WORDS], const unsigned char *stack, uint64_t at,
	size_t size, uint64_t pc[SD_GOROUTINES_DEPTH])
{
	uint64_t frame[2], bp = 0;
	size_t n = 0;

	for (int i = RET; i <= BP && !bp; i++)
		if (word[i] >= at && word[i] < word[STACK_HIGH] && word[i] % 8 == 0)
			bp = word[i];
	pc[n++] = word[PC];
	while (bp >= at && size >= sizeof frame && bp - at <= size - sizeof frame) {
		memcpy(frame, stack + (bp - at), sizeof frame);
		if (frame[1])
			pc[n++] = frame[1];
		if (n == SD_GOROUTINES_DEPTH || frame[0] <= bp)
			break;
		bp = frame[0];
	}
	return n;
}

static int is_same(const struct sd_goroutines *g, const struct sd_goroutine_seen *s,
	uint64_t address, const uint64_t *pc, size_t n)
{
	return s->g == address && s->n == n && memcmp(g->pc + s->at, pc, n * sizeof *pc) == 0;
}

static void note(struct sd_goroutines *g, size_t slot, uint64_t address, const uint64_t *pc,
	size_t n, uint64_t now)
{
	const uint32_t before = g->last[slot];

	if (before && is_same(g, &g->seen[before - 1], address, pc, n)) {
		g->seen[before - 1].to = now;
		return;
	}
	if (g->n_seen == SEEN || g->n_pc + n > PCS)
		return;
	memcpy(g->pc + g->n_pc, pc, n * sizeof *pc);
	g->seen[g->n_seen++] = (struct sd_goroutine_seen){
		.g = address, .from = now, .to = now, .at = (uint32_t)g->n_pc, .n = (uint32_t)n};
	g->n_pc += n;
	g->last[slot] = (uint32_t)g->n_seen;
}

static void look_at(struct sd_goroutines *g, size_t slot, uint64_t address, uint64_t now)
{
	const struct iovec whole = there(address, WORDS * sizeof(uint64_t));
	uint64_t word[WORDS], pc[SD_GOROUTINES_DEPTH], at;
	unsigned char stack[STACK];
	struct iovec some;
	size_t size;

	if (!address || !is_read(g, &whole, 1, word) || word[SELF] != address || !word[SP] ||
		word[SP] < word[STACK_LOW] || word[SP] >= word[STACK_HIGH])
		return;
	at = word[SP] - word[STACK_LOW] < BELOW ? word[STACK_LOW] : word[SP] - BELOW;
	size = word[STACK_HIGH] - at < STACK ? (size_t)(word[STACK_HIGH] - at) : STACK;
	some = there(at, size);
	if (is_read(g, &some, 1, stack))
		note(g, slot, address, pc, callers(word, stack, at, size, pc), now);
}

void sd_goroutines_look(struct sd_goroutines *g, uint64_t now)
{
	uint64_t address[SD_GOROUTINES_LOOK];
	size_t n;

	if (now < g->next || g->sorted)
		return;
	g->next = now + LOOK_NS;
	if (!is_go(g))
		return;
	if (!g->seen)
		g->seen = malloc(SEEN * sizeof *g->seen);
	if (!g->pc)
		g->pc = malloc(PCS * sizeof *g->pc);
	if (!g->seen || !g->pc)
		return;
	n = list(g, address);
	for (size_t i = 0; i < n; i++)
		look_at(g, i, address[i], now);
}

/* ---- what was seen --------------------------------------------------------------------------- */

static int by_g(const void *a, const void *b)
{
	const struct sd_goroutine_seen *const x = a, *const y = b;

	if (x->g != y->g)
		return x->g < y->g ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* How far a time is from one at which it was seen there, ns. */
static uint64_t distance(const struct sd_goroutine_seen *s, uint64_t time)
{
	return time < s->from ? s->from - time : time > s->to ? time - s->to : 0;
}

size_t sd_goroutines_find(
	struct sd_goroutines *g, int pid, uint64_t address, uint64_t time, const uint64_t **pc)
{
	const struct sd_goroutine_seen *best = NULL;
	size_t low = 0, high = g->n_seen;

	if (pid != g->pid || !g->n_seen)
		return 0;
	if (!g->sorted)
		qsort(g->seen, g->n_seen, sizeof *g->seen, by_g);
	g->sorted = 1;
	while (low < high) { /* the first that was seen there after that */
		const size_t middle = low + (high - low) / 2;
		const struct sd_goroutine_seen *const s = &g->seen[middle];

		if (s->g < address || (s->g == address && s->from <= time))
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low ? low - 1 : 0; i <= low && i < g->n_seen; i++)
		if (g->seen[i].g == address &&
			(!best || distance(&g->seen[i], time) < distance(best, time)))
			best = &g->seen[i];
	if (!best || distance(best, time) > NEAR_NS)
		return 0;
	*pc = g->pc + best->at;
	return best->n;
}

void sd_goroutines_again(struct sd_goroutines *g, const char *root, int pid)
{
	g->root = root;
	g->pid = pid;
	g->placed = g->sorted = 0;
	g->next = 0;
	g->turn = g->n_seen = g->n_pc = 0;
	memset(g->last, 0, sizeof g->last);
}

void sd_goroutines_free(struct sd_goroutines *g)
{
	free(g->seen);
	free(g->pc);
	*g = (struct sd_goroutines){0};
}
