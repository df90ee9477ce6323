#include "probe/event_map.h"

#include <ctype.h>
#include <errno.h>
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
