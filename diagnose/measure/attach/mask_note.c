#include "attach/mask_note.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/textfile.h"

#define MOST_BYTES ((size_t)256 << 20) /* far above a section for each count of any program */
#define BEGIN "\nbegin "
#define END "\nend\n"

/* Threads and processes that are made while others get their CPUs back: again, until there are no
 * more than there were. */
#define ROUNDS 8

/* ---- writing --------------------------------------------------------------------------------- */

static void boot_id(char id[64])
{
	if (sd_textfile_read(NULL, "/proc/sys/kernel/random/boot_id", id, 64))
		*id = '\0';
	id[strcspn(id, "\n")] = '\0';
}

static void put_text(FILE *f, const char *text)
{
	fputc('x', f);
	for (; *text; text++)
		fprintf(f, "%02x", (unsigned char)*text);
}

static void put_words(FILE *f, const unsigned long *words, size_t bytes)
{
	fputs(words ? " " : " -", f);
	for (size_t k = 0; words && k < bytes / sizeof *words; k++)
		fprintf(f, "%s%lx", k ? "," : "", words[k]);
}

static int put_section(FILE *f, const struct sd_thread_masks *m, const struct sd_attached *a)
{
	char id[64];

	boot_id(id);
	fprintf(f, BEGIN "%s %d %d %" PRIu64 " %zu ", id, (int)a->by, (int)a->root, a->born,
		m->bytes);
	put_text(f, a->group ? a->group : "");
	fputc(' ', f);
	put_text(f, a->label);
	for (size_t i = 0; i < m->n; i++) {
		const struct sd_thread_mask *const t = &m->thread[i];

		fprintf(f, "\n%d %d %" PRIu64, t->pid, t->tid, t->start);
		put_words(f, t->words, m->bytes);
		put_words(f, t->given, m->bytes);
		put_words(f, t->before, m->bytes);
	}
	fputs(END, f);
	return ferror(f) ? -ENOMEM : 0;
}

static int write_all(int fd, const char *text, size_t n)
{
	while (n) {
		const ssize_t done = write(fd, text, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

int sd_mask_note_open(struct sd_mask_note *n)
{
	*n = (struct sd_mask_note){.fd = -1};
	sd_leftover_note_open(&n->note, SD_LEFTOVER_CPUS, NULL);
	n->fd = n->note.path ? n->note.fd : memfd_create("scalediag-cpus", MFD_CLOEXEC);
	return n->fd < 0 ? -errno : 0;
}

int sd_mask_note_add(
	const struct sd_mask_note *n, const struct sd_thread_masks *m, const struct sd_attached *a)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);
	int rc = f ? put_section(f, m, a) : -ENOMEM;

	if (f && fclose(f) != 0)
		rc = -ENOMEM;
	rc = rc ? rc : write_all(n->fd, text, size);
	free(text);
	return rc;
}

void sd_mask_note_close(struct sd_mask_note *n, int done)
{
	if (n->note.path && done)
		sd_leftover_note_close(&n->note);
	else if (n->note.path)
		sd_leftover_note_keep(&n->note);
	else if (n->fd >= 0)
		close(n->fd);
	*n = (struct sd_mask_note){.fd = -1};
}

/* ---- reading --------------------------------------------------------------------------------- */

static char *read_all(int fd)
{
	struct stat st;
	char *text;
	size_t n = 0;

	if (fstat(fd, &st) || st.st_size < 0 || (size_t)st.st_size > MOST_BYTES)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	while (text && n < (size_t)st.st_size) {
		const ssize_t got = pread(fd, text + n, (size_t)st.st_size - n, (off_t)n);

		if (got <= 0 && !(got < 0 && errno == EINTR))
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	if (text)
		text[n] = '\0';
	return text;
}

/* The last whole section, without its first and last word; NULL: there is none. */
static char *last_section(char *text)
{
	char *found = NULL, *at = text;

	while ((at = strstr(at, BEGIN))) {
		char *const end = strstr(at, END);

		if (!end)
			break;
		found = at + strlen(BEGIN);
		at = end;
	}
	if (found)
		*strstr(found, END) = '\0';
	return found;
}

/* In place. */
static int take_text(char *word)
{
	char *out = word;

	if (*word != 'x')
		return -EINVAL;
	for (const char *in = word + 1; isxdigit((unsigned char)in[0]); in += 2) {
		const char two[] = {in[0], in[1], '\0'};

		if (!isxdigit((unsigned char)in[1]))
			return -EINVAL;
		*out++ = (char)strtoul(two, NULL, 16);
	}
	*out = '\0';
	return 0;
}

static unsigned long *take_words(const char *word, size_t bytes)
{
	unsigned long *const words = calloc(1, bytes);
	char *at = (char *)(uintptr_t)word;

	for (size_t k = 0; words && k < bytes / sizeof *words && isxdigit((unsigned char)*at);
		k++) {
		words[k] = strtoul(at, &at, 16);
		at += *at == ',';
	}
	return words;
}

static int take_thread(char *line, struct sd_thread_masks *m, size_t room)
{
	char *rest = NULL, *word[6];
	struct sd_thread_mask *const t = &m->thread[m->n];

	for (int i = 0; i < 6; i++)
		if (!(word[i] = strtok_r(i ? NULL : line, " ", &rest)))
			return -EINVAL;
	if (m->n == room)
		return -EINVAL;
	*t = (struct sd_thread_mask){.pid = atoi(word[0]),
		.tid = atoi(word[1]),
		.start = strtoull(word[2], NULL, 10),
		.words = take_words(word[3], m->bytes),
		.given = *word[4] == '-' ? NULL : take_words(word[4], m->bytes),
		.before = *word[5] == '-' ? NULL : take_words(word[5], m->bytes)};
	m->n++;
	return t->words && t->tid > 0 ? 0 : -EINVAL;
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* Reads a section's head; only this boot's counts, as pids begin anew with each. */
static int take_head(char *line, struct sd_attached *a, struct sd_thread_masks *m)
{
	char *rest = NULL, *word[7], id[64];

	boot_id(id);
	for (int i = 0; i < 7; i++)
		if (!(word[i] = strtok_r(i ? NULL : line, " ", &rest)))
			return -EINVAL;
	if (strcmp(word[0], id) != 0 || take_text(word[5]) || take_text(word[6]))
		return -EINVAL;
	a->by = (enum sd_attach_by)strtoul(word[1], NULL, 10);
	a->root = atoi(word[2]);
	a->born = strtoull(word[3], NULL, 10);
	m->bytes = strtoul(word[4], NULL, 10);
	if (a->by >= SD_ATTACH_COUNT || m->bytes % sizeof(unsigned long) ||
		m->bytes > SD_CPU_MAX / 8)
		return -EINVAL;
	snprintf(a->label, sizeof a->label, "%s", word[6]);
	if (*word[5] && !(a->group = strdup(word[5])))
		return -ENOMEM;
	return 0;
}

static int take(char *section, struct sd_attached *a, struct sd_thread_masks *m)
{
	const size_t room = lines_of(section);
	char *rest = NULL, *line = strtok_r(section, "\n", &rest);
	int rc = line ? take_head(line, a, m) : -EINVAL;

	m->thread = calloc(room + 1, sizeof *m->thread);
	if (!m->thread)
		return -ENOMEM;
	while (!rc && (line = strtok_r(NULL, "\n", &rest)))
		rc = take_thread(line, m, room);
	return rc;
}

static size_t restore(struct sd_attached *a, const struct sd_thread_masks *m, size_t *changed)
{
	size_t failed = 0, before = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (sd_attached_refresh(a) == -ESRCH)
			return 0; /* it has ended: there is nobody to give them back to */
		failed = sd_thread_masks_restore(m, a, changed);
		if (a->n == before)
			break;
		before = a->n;
	}
	return failed;
}

size_t sd_mask_note_mend(int fd, size_t *changed, char *label, size_t size)
{
	char *const text = read_all(fd), *const section = text ? last_section(text) : NULL;
	struct sd_thread_masks m = {0};
	struct sd_attached a = {0};
	size_t failed = !text;

	*changed = 0;
	if (section && take(section, &a, &m) == 0)
		failed = restore(&a, &m, changed);
	snprintf(label, size, "%s", a.label);
	sd_thread_masks_free(&m);
	sd_attached_free(&a);
	free(text);
	return failed;
}
