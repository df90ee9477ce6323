#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/samples.h"

void sd_rows_cpus(struct sd_bench_row *row, const struct sd_cpulist *cpus)
{
	static const char more[] = "…";
	char *text = sd_cpulist_format(cpus);

	row->cores = (unsigned)cpus->n;
	snprintf(row->cpus, sizeof row->cpus, "%s", text ? text : "");
	if (text && strlen(text) >= sizeof row->cpus) {
		char *end = row->cpus + sizeof row->cpus - sizeof more - 1;

		while (end > row->cpus && *end != ',')
			end--;
		snprintf(end, sizeof more + 1, ",%s", more);
	}
	free(text);
}

int sd_rows_missing(struct sd_bench_rows *rows, const struct sd_bench_row *like,
	enum sd_status status, const char *fmt, ...)
{
	struct sd_bench_row row = *like;
	va_list ap;

	row.status = status;
	va_start(ap, fmt);
	vsnprintf(row.why, sizeof row.why, fmt, ap);
	va_end(ap);
	return sd_bench_rows_add(rows, &row);
}

int sd_rows_error(struct sd_bench_rows *rows, const struct sd_bench_row *like, int error)
{
	static const struct {
		int error;
		enum sd_status status;
		const char *why;
	} known[] = {
		{-EINVAL, SD_STATUS_ABSENT, "a CPU is offline or outside this process's cpuset"},
		{-EPERM, SD_STATUS_DENIED, "the kernel refuses the binding to a CPU"},
		{-EAGAIN, SD_STATUS_DENIED,
			"the kernel refuses another thread or process (limits)"},
		{-ENOTSUP, SD_STATUS_UNSUPPORTED, "no huge pages here (kernel or its setting)"},
		{-ELIBACC, SD_STATUS_UNSUPPORTED,
			"the library that this kernel measures is not installed"},
		{-EALREADY, SD_STATUS_UNSUPPORTED,
			"this process has an OpenMP runtime already and cannot load a copy"},
		{-ECHILD, SD_STATUS_ABSENT, "a process of the team died"},
		{-ETIMEDOUT, SD_STATUS_ABSENT, "the team never ran at the same time (busy CPUs)"},
		{-ENODATA, SD_STATUS_ABSENT, "the kernel does not tell which pages the memory got"},
	};

	if (error == -EINTR || error == -ENOMEM)
		return error;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].error == error)
			return sd_rows_missing(rows, like, known[i].status, "%s", known[i].why);
	return sd_rows_missing(rows, like, SD_STATUS_ABSENT, "%s", strerror(-error));
}
