#include "experiment/saved_msr_bits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/number.h"
#include "base/one_more.h"
#include "output/output_file.h"

#define HEAD "scalediag prefetchers 1"
#define MOST_BYTES (SD_CPU_MAX * (size_t)40)

void sd_saved_msr_bits_free(struct sd_saved_msr_bits *o)
{
	free(o->cpu);
	*o = (struct sd_saved_msr_bits){0};
}

void sd_saved_msr_bits_boot(char *boot, size_t size, const char *root)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/proc/sys/kernel/random/boot_id", root);
	f = fopen(path, "re");
	if (!f || !fgets(boot, (int)size, f))
		boot[0] = '\0';
	boot[strcspn(boot, "\n ")] = '\0';
	if (f)
		fclose(f);
}

/* ---- writing ---- */

static int put(int fd, const struct sd_saved_msr_bits *o)
{
	FILE *f = fdopen(fd, "w");
	int rc = 0;

	if (!f) {
		rc = -errno;
		close(fd);
		return rc;
	}
	fprintf(f, HEAD "\nboot %s\nmsr %" PRIu32 "\n", o->boot, o->msr);
	for (size_t i = 0; i < o->n; i++)
		fprintf(f, "cpu %u %" PRIu64 "\n", o->cpu[i].cpu, o->cpu[i].bits);
	if (fflush(f) || fsync(fd))
		rc = -errno;
	if (fclose(f) && !rc)
		rc = -errno;
	return rc;
}

int sd_saved_msr_bits_write(const char *path, const struct sd_saved_msr_bits *o)
{
	int fd, rc;

	sd_output_file_folders(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = put(fd, o);
	if (rc)
		unlink(path);
	return rc;
}

/* ---- reading ---- */

/* The next line without its end, cut off; NULL at the end. */
static char *next_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return line;
}

/* The text behind "key ", or NULL. */
static const char *after(const char *line, const char *key)
{
	const size_t n = strlen(key);

	return line && strncmp(line, key, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

static int parse_cpu(char *line, struct sd_saved_msr_bits *o)
{
	const char *number = after(line, "cpu");
	char *bits = number ? strchr(line + 4, ' ') : NULL;
	uint64_t cpu, value;

	if (!bits)
		return -EINVAL;
	*bits++ = '\0';
	if (sd_number_u64(number, 0, SD_CPU_MAX - 1, &cpu) ||
		sd_number_u64(bits, 0, UINT64_MAX, &value))
		return -EINVAL;
	return SD_APPEND(o->cpu, o->n, &(struct sd_saved_msr_bits_cpu){(unsigned)cpu, value});
}

static int parse(char *rest, struct sd_saved_msr_bits *o)
{
	const char *head = next_line(&rest), *boot = after(next_line(&rest), "boot");
	const char *msr = after(next_line(&rest), "msr");
	uint64_t address;
	char *line;
	int rc = 0;

	if (!head || strcmp(head, HEAD) != 0 || !boot || strlen(boot) >= sizeof o->boot || !msr ||
		sd_number_u64(msr, 1, UINT32_MAX, &address))
		return -EINVAL;
	snprintf(o->boot, sizeof o->boot, "%s", boot);
	o->msr = (uint32_t)address;
	while (!rc && (line = next_line(&rest)))
		rc = o->n < SD_CPU_MAX ? parse_cpu(line, o) : -EINVAL;
	return !rc && (*rest || o->n == 0) ? -EINVAL : rc;
}

int sd_saved_msr_bits_parse(const char *text, size_t size, struct sd_saved_msr_bits *o)
{
	char *copy = memchr(text, '\0', size) ? NULL : strndup(text, size);
	int rc;

	*o = (struct sd_saved_msr_bits){0};
	if (!copy)
		return memchr(text, '\0', size) ? -EINVAL : -ENOMEM;
	rc = parse(copy, o);
	if (rc)
		sd_saved_msr_bits_free(o);
	free(copy);
	return rc;
}

static int read_file(int fd, struct sd_saved_msr_bits *o)
{
	struct stat st;
	size_t got = 0;
	char *text;
	ssize_t n;
	int rc;

	if (fstat(fd, &st))
		return -errno;
	/* what root writes into registers is nobody else's to say */
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	if (st.st_size <= 0 || (size_t)st.st_size > MOST_BYTES)
		return -EINVAL;
	text = malloc((size_t)st.st_size);
	if (!text)
		return -ENOMEM;
	while (got < (size_t)st.st_size && (n = read(fd, text + got, (size_t)st.st_size - got)) > 0)
		got += (size_t)n;
	rc = sd_saved_msr_bits_parse(text, got, o);
	free(text);
	return rc;
}

int sd_saved_msr_bits_read(const char *path, struct sd_saved_msr_bits *o)
{
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc;

	*o = (struct sd_saved_msr_bits){0};
	if (fd < 0)
		return -errno;
	rc = read_file(fd, o);
	close(fd);
	return rc;
}
