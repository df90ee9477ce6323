#include "probe/event_map.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "proc/textfile.h"

/* The value of the first line "key : value", or NULL; `end` is behind it. */
static const char *value_of(const char *text, const char *key, const char **end)
{
	const size_t n = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *c;

		line += *line == '\n';
		if (strncmp(line, key, n) != 0)
			continue;
		c = line + n + strspn(line + n, " \t");
		if (*c != ':')
			continue;
		c++;
		c += strspn(c, " \t");
		*end = c + strcspn(c, "\n");
		return c;
	}
	return NULL;
}

/* Decimal, or hexadecimal after "0x". 0 or -errno. */
static int number_of(const char *text, const char *key, unsigned *out)
{
	const char *end, *c = value_of(text, key, &end);
	char word[24];
	uint64_t v = 0;
	int rc;

	if (!c || (size_t)(end - c) >= sizeof word)
		return -EINVAL;
	memcpy(word, c, (size_t)(end - c));
	word[end - c] = '\0';
	if (strncmp(word, "0x", 2) != 0) {
		rc = sd_number_u64(word, 0, UINT32_MAX, &v);
	} else {
		/* 8 digits fit, and nothing but digits gets here */
		rc = strlen(word) > 10 || !word[2] ||
				     word[2 + strspn(word + 2, "0123456789abcdefABCDEF")]
			     ? -EINVAL
			     : 0;
		if (rc == 0)
			v = strtoul(word + 2, NULL, 16);
	}
	if (rc == 0)
		*out = (unsigned)v;
	return rc;
}

/* The number after "0x", its low 12 bits: it may have 64. */
static int low_bits_of(const char *text, const char *key, unsigned *out)
{
	const char *end, *c = value_of(text, key, &end);
	char *stop;
	uint64_t v;

	if (!c || end - c < 3 || strncmp(c, "0x", 2) != 0 || !isxdigit((unsigned char)c[2]))
		return -EINVAL;
	errno = 0;
	v = strtoull(c + 2, &stop, 16);
	if (errno || stop != end)
		return -EINVAL;
	*out = v & 0xfff;
	return 0;
}

static int parse_riscv(struct sd_cpuid *id, const char *cpuinfo)
{
	const int rc = low_bits_of(cpuinfo, "mvendorid", &id->family);

	strcpy(id->vendor, "RISC-V");
	return rc == 0 ? low_bits_of(cpuinfo, "marchid", &id->model) : rc;
}

/* "revision : 2.2 (pvr 004e 1202)" */
static int parse_power(struct sd_cpuid *id, const char *cpuinfo)
{
	const char *end, *c = value_of(cpuinfo, "revision", &end);
	unsigned version, revision;

	if (!c || sscanf(c, "%*[0-9.] (pvr %4x %4x)", &version, &revision) != 2)
		return -EINVAL;
	strcpy(id->vendor, "POWER");
	id->family = version & 0xffff;
	id->model = revision >> 8 & 0xf;
	id->stepping = revision & 0xff;
	return 0;
}

void sd_cpu_model_parse(struct sd_cpuid *id, const char *cpuinfo)
{
	const char *end, *vendor = value_of(cpuinfo, "vendor_id", &end);
	int rc;

	*id = (struct sd_cpuid){0};
	if (vendor && (size_t)(end - vendor) < sizeof id->vendor) {
		memcpy(id->vendor, vendor, (size_t)(end - vendor));
		for (char *c = id->vendor; *c; c++)
			*c = isprint((unsigned char)*c) ? *c : '?';
		rc = number_of(cpuinfo, "cpu family", &id->family);
		if (rc == 0)
			rc = number_of(cpuinfo, "model", &id->model);
		if (rc == 0)
			rc = number_of(cpuinfo, "stepping", &id->stepping);
	} else if (value_of(cpuinfo, "mvendorid", &end)) {
		rc = parse_riscv(id, cpuinfo);
	} else if (value_of(cpuinfo, "revision", &end) && strstr(cpuinfo, "(pvr ")) {
		rc = parse_power(id, cpuinfo);
	} else {
		rc = number_of(cpuinfo, "CPU implementer", &id->family);
		if (rc == 0)
			rc = number_of(cpuinfo, "CPU part", &id->model);
		if (rc == 0)
			rc = number_of(cpuinfo, "CPU revision", &id->stepping);
	}
	if (rc < 0)
		*id = (struct sd_cpuid){0};
	id->known = rc == 0;
}

void sd_cpu_model_read(struct sd_cpuid *id, const char *root)
{
	/* the first CPU's block; its flags line alone may have 2 KiB */
	char text[16384];

	*id = (struct sd_cpuid){0};
	if (sd_textfile_read(root, "/proc/cpuinfo", text, sizeof text) == 0)
		sd_cpu_model_parse(id, text);
}
