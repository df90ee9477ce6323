#include "base/cpulist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

int sd_cpulist_add(struct sd_cpulist *list, unsigned cpu)
{
	return SD_APPEND(list->cpu, list->n, &cpu);
}

/* Reads one CPU number; advances *p. */
static int parse_cpu(const char **p, unsigned *cpu)
{
	unsigned v = 0;
	const char *s = *p;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	for (; *s >= '0' && *s <= '9'; s++) {
		v = v * 10 + (unsigned)(*s - '0');
		if (v >= SD_CPU_MAX)
			return -EINVAL;
	}
	*p = s;
	*cpu = v;
	return 0;
}

static int parse_range(const char **p, struct sd_cpulist *out)
{
	unsigned first, last;
	int rc = parse_cpu(p, &first);

	if (rc)
		return rc;
	last = first;
	if (**p == '-') {
		(*p)++;
		rc = parse_cpu(p, &last);
		if (rc)
			return rc;
	}
	if (last < first || out->n + (last - first) >= SD_CPU_MAX)
		return -EINVAL;
	for (unsigned c = first; c <= last; c++)
		if ((rc = sd_cpulist_add(out, c)) != 0)
			return rc;
	return 0;
}

int sd_cpulist_parse(const char *text, struct sd_cpulist *out)
{
	const char *p = text;
	int rc = 0;

	*out = (struct sd_cpulist){0};
	if (!text)
		return -EINVAL;
	while (*p && *p != '\n') {
		rc = parse_range(&p, out);
		if (!rc && *p == ',' && p[1] && p[1] != '\n')
			p++;
		else if (!rc && *p && *p != '\n')
			rc = -EINVAL;
		if (rc) {
			sd_cpulist_free(out);
			return rc;
		}
	}
	return 0;
}

char *sd_cpulist_format(const struct sd_cpulist *list)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < list->n;) {
		size_t j = i;

		while (j + 1 < list->n && list->cpu[j + 1] == list->cpu[j] + 1)
			j++;
		fprintf(f, "%s%u", i ? "," : "", list->cpu[i]);
		if (j > i)
			fprintf(f, "-%u", list->cpu[j]);
		i = j + 1;
	}
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

int sd_cpulist_copy(const struct sd_cpulist *from, struct sd_cpulist *to)
{
	*to = (struct sd_cpulist){0};
	for (size_t i = 0; i < from->n; i++) {
		const int rc = sd_cpulist_add(to, from->cpu[i]);

		if (rc) {
			sd_cpulist_free(to);
			return rc;
		}
	}
	return 0;
}

int sd_cpulist_has(const struct sd_cpulist *list, unsigned cpu)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->cpu[i] == cpu)
			return 1;
	return 0;
}

void sd_cpulist_free(struct sd_cpulist *list)
{
	free(list->cpu);
	*list = (struct sd_cpulist){0};
}
