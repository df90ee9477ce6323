#include "native/heap_blocks.h"

#include <asm/perf_regs.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "unwind/unwind.h"

#if defined(__x86_64__)
#define PC PERF_REG_X86_IP
#define SP PERF_REG_X86_SP
#define FP PERF_REG_X86_BP
#elif defined(__aarch64__)
#define PC PERF_REG_ARM64_PC
#define SP PERF_REG_ARM64_SP
#define FP PERF_REG_ARM64_X29
#endif

#define CALLERS 12

/* ---- logs ------------------------------------------------------------------------------------ */

int sd_heap_blocks_check(struct sd_heap_log *log, size_t size)
{
	if (size != sizeof *log || log->magic != SD_HEAP_LOG_MAGIC ||
		log->size_of_block != sizeof log->block[0])
		return -EINVAL;
	if (log->given > SD_HEAP_LOG_BLOCKS)
		log->given = SD_HEAP_LOG_BLOCKS;
	for (uint64_t i = 0; i < log->given; i++) {
		struct sd_heap_block *const b = &log->block[i];

		if (!b->time || b->start + b->bytes < b->start)
			b->bytes = 0;
		if (b->copied > sizeof b->stack)
			b->copied = 0;
	}
	return 0;
}

static int is_log(const char *name)
{
	const size_t digits = strspn(name, "0123456789");

	return digits && strcmp(name + digits, SD_HEAP_LOG_SUFFIX) == 0;
}

/* A log of this user's; NULL: it is none, says nothing, or out of memory. */
static struct sd_heap_log *read_log(int folder, const char *name)
{
	struct sd_heap_log *log = NULL;
	struct stat st;
	const int fd = sd_regular_file_open_at(folder, name, O_NOFOLLOW, &st);
	size_t got = 0;

	if (fd < 0)
		return NULL;
	if (st.st_uid == geteuid() && st.st_size == sizeof *log)
		log = malloc(sizeof *log);
	if (log)
		got = sd_regular_file_bytes(fd, log, sizeof *log, 0);
	close(fd);
	if (log && sd_heap_blocks_check(log, got) == 0 && log->given)
		return log;
	free(log);
	return NULL;
}

int sd_heap_blocks_read(struct sd_heap_blocks *b, const char *folder)
{
	DIR *const d = opendir(folder);
	const struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		if (!is_log(e->d_name))
			continue;
		if (b->n < SD_HEAP_BLOCKS_LOGS && (b->log[b->n] = read_log(dirfd(d), e->d_name)))
			b->full |= b->log[b->n++]->full != 0;
		unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
	return 0;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static const struct sd_heap_block *newest(
	const struct sd_heap_log *log, uint64_t address, uint64_t time)
{
	const struct sd_heap_block *found = NULL;

	if (log->full && time >= log->full)
		return NULL; /* another may have been given there since */
	for (uint64_t i = 0; i < log->given; i++) {
		const struct sd_heap_block *const b = &log->block[i];

		if (address - b->start < b->bytes && b->time <= time &&
			(!found || b->time >= found->time))
			found = b;
	}
	return found;
}

const struct sd_heap_block *sd_heap_blocks_at(
	const struct sd_heap_blocks *b, int pid, uint64_t address, uint64_t time)
{
	const struct sd_heap_block *found = NULL;

	for (size_t i = 0; i < b->n && !found; i++)
		if (b->log[i]->pid == (uint32_t)pid)
			found = newest(b->log[i], address, time);
	return found;
}

/* ---- sites ----------------------------------------------------------------------------------- */

/* Is it a function that asks for others: an operator, a container, a runtime? */
static int asks_for_others(const struct sd_stacks *s, unsigned node)
{
	static const char *const head[] = {"operator new", "std::", "__gnu_cxx::", "alloc::",
		"<alloc::", "core::", "<core::", "<std::", "__rust_", "__rdl_", "__rustc"};
	const unsigned number = s->frame[s->node[node].frame].function;
	const char *const name = number && number < s->n_text ? s->text[number] : "";
	const char *const typed =
		strstr(name, " std::"); /* a template's name begins with its type */

	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		if (strncmp(name, head[i], strlen(head[i])) == 0)
			return 1;
	return typed && typed < name + strcspn(name, "<(");
}

/* Return addresses, innermost first. */
static size_t unwind(
	const struct sd_heap_block *b, const struct sd_code_nodes *names, uint64_t pc[CALLERS])
{
	size_t n = 0;
#ifdef PC
	struct sd_event e = {.pid = names->pid,
		.tid = names->pid,
		.ip = b->pc,
		.regs.mask = UINT64_C(1) << PC | UINT64_C(1) << SP | UINT64_C(1) << FP,
		.stack = b->stack,
		.stack_size = b->copied,
		.stack_at = b->sp};
	struct sd_unwound how;

	e.regs.reg[PC] = b->pc;
	e.regs.reg[SP] = b->sp;
	e.regs.reg[FP] = b->fp;
	n = sd_symbols_unwind(names->symbols, &e, pc, CALLERS, &how);
#else
	(void)b, (void)names, (void)pc;
#endif
	return n;
}

int sd_heap_blocks_site(
	const struct sd_heap_block *block, const struct sd_code_nodes *names, unsigned *out)
{
	uint64_t pc[CALLERS];
	const size_t n = unwind(block, names, pc);
	const struct sd_stacks *const s = names->stacks;
	int rc = 0;

	*out = 0;
	for (size_t i = n; i-- > 0 && !rc;)
		rc = sd_code_nodes_add(names, pc[i], 1, *out, out);
	while (!rc && s && *out && s->node[*out].parent && asks_for_others(s, *out))
		*out = s->node[*out].parent;
	return rc;
}

void sd_heap_blocks_free(struct sd_heap_blocks *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->log[i]);
	*b = (struct sd_heap_blocks){.n = 0};
}
