#include "proc/proc_parse.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A decimal number at *at, which moves behind it. Unlike number.h this reads a piece of a line, a
 * thousand times a second, without a copy. */
static int take_u64(const char **at, uint64_t *out)
{
	const char *p = *at;
	uint64_t v = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		const uint64_t d = (uint64_t)(*p - '0');

		if (v > (UINT64_MAX - d) / 10)
			return -EINVAL;
		v = v * 10 + d;
	}
	*at = p;
	*out = v;
	return 0;
}

static int take_int(const char **at, int *out)
{
	uint64_t v;

	if (take_u64(at, &v) || v > INT_MAX)
		return -EINVAL;
	*out = (int)v;
	return 0;
}

static int take_hex(const char **at, uint64_t *out)
{
	const char *p = *at;
	uint64_t v = 0;

	if (p[0] != '0' || p[1] != 'x')
		return -EINVAL;
	for (p += 2; *p && strchr("0123456789abcdef", *p); p++) {
		if (v >> 60)
			return -EINVAL;
		v = v << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	}
	if (p - *at < 3)
		return -EINVAL;
	*at = p;
	*out = v;
	return 0;
}

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t\n");
}

/* Behind the next `n` words; stays at the end of the text. */
static void skip_words(const char **at, int n)
{
	while (n-- > 0) {
		skip_blanks(at);
		*at += strcspn(*at, " \t\n");
	}
	skip_blanks(at);
}

static void copy_comm(const char *from, const char *to, char comm[16])
{
	size_t n = (size_t)(to - from);

	n = n < 15 ? n : 15;
	for (size_t i = 0; i < n; i++)
		comm[i] = (unsigned char)from[i] < ' ' || from[i] == 127 ? '?' : from[i];
	comm[n] = '\0';
}

static int take_ticks(const char **at, uint64_t *out)
{
	skip_blanks(at);
	return take_u64(at, out);
}

int sd_proc_parse_stat(const char *text, struct sd_proc_stat *out)
{
	/* the name may hold ')' itself, but nothing behind its own one does */
	const char *const open = strchr(text, '('), *const close = strrchr(text, ')');
	const char *p = text;

	*out = (struct sd_proc_stat){0};
	if (!open || !close || close < open || take_int(&p, &out->pid))
		return -EINVAL;
	copy_comm(open + 1, close, out->comm);
	if (close[1] != ' ' || close[2] < 'A' || close[2] > 'z' || close[3] != ' ')
		return -EINVAL;
	out->state = close[2];
	p = close + 4;
	if (take_int(&p, &out->ppid))
		return -EINVAL;
	skip_words(&p, 4); /* 5 pgrp to 8 tpgid */
	if (take_u64(&p, &out->flags))
		return -EINVAL;
	skip_words(&p, 4); /* 10 minflt to 13 cmajflt */
	if (take_ticks(&p, &out->utime) || take_ticks(&p, &out->stime) ||
		take_ticks(&p, &out->cutime) || take_ticks(&p, &out->cstime))
		return -EINVAL;
	skip_words(&p, 4); /* 18 priority to 21 itrealvalue */
	if (take_u64(&p, &out->start))
		return -EINVAL;
	skip_words(&p, 16); /* 23 vsize to 38 exit_signal */
	if (take_int(&p, &out->processor))
		out->processor = -1;
	skip_words(&p, 1); /* 40 rt_priority */
	if (take_int(&p, &out->policy))
		out->policy = -1;
	skip_words(&p, 0);
	out->has_blkio = take_u64(&p, &out->blkio) == 0;
	return 0;
}

int sd_proc_parse_schedstat(const char *text, struct sd_proc_sched *out)
{
	const char *p = text;

	*out = (struct sd_proc_sched){0};
	if (take_u64(&p, &out->run_ns))
		return -EINVAL;
	skip_blanks(&p);
	if (take_u64(&p, &out->delay_ns))
		return -EINVAL;
	skip_blanks(&p);
	return take_u64(&p, &out->slices);
}

/* The stack pointer and where the call returns to, at the end of the line. */
static void take_place(const char *p, struct sd_proc_syscall *out)
{
	skip_blanks(&p);
	if (take_hex(&p, &out->sp))
		return;
	skip_blanks(&p);
	if (take_hex(&p, &out->pc))
		out->pc = 0;
}

int sd_proc_parse_syscall(const char *text, struct sd_proc_syscall *out)
{
	const char *p = text;
	uint64_t nr;

	*out = (struct sd_proc_syscall){.nr = -1};
	if (strncmp(p, "running", 7) == 0)
		return 0;
	if (strncmp(p, "-1", 2) == 0) {
		out->where = SD_PROC_BLOCKED;
		p += 2;
		take_place(p, out);
		return 0;
	}
	if (take_u64(&p, &nr) || nr > LONG_MAX)
		return -EINVAL;
	out->where = SD_PROC_SYSCALL;
	out->nr = (long)nr;
	for (int i = 0; i < 6; i++) {
		skip_blanks(&p);
		if (take_hex(&p, &out->arg[i]))
			return -EINVAL;
	}
	take_place(p, out);
	return 0;
}

int sd_proc_parse_next_pid(const char **at)
{
	int pid;

	skip_blanks(at);
	if (!**at)
		return 0;
	return take_int(at, &pid) || pid == 0 ? -1 : pid;
}

/* The first line that begins with `key`; NULL when there is none. */
static const char *find_line(const char *text, const char *key)
{
	const size_t n = strlen(key);

	while (text && strncmp(text, key, n) != 0) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text ? text + n : NULL;
}

int sd_proc_parse_key(const char *text, const char *key, char *buf, size_t size)
{
	const char *p = find_line(text, key);
	size_t n;

	if (!p)
		return -ENOENT;
	p += strspn(p, " \t");
	n = strcspn(p, "\n");
	while (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t'))
		n--;
	if (n >= size)
		return -ERANGE;
	memcpy(buf, p, n);
	buf[n] = '\0';
	return 0;
}

int sd_proc_parse_flat(const char *text, const char *key, uint64_t *out)
{
	const char *p = text;

	while ((p = find_line(p, key)) && *p != ' ')
		;
	if (!p)
		return -ENOENT;
	p++;
	return take_u64(&p, out);
}

int sd_proc_parse_pressure(const char *text, uint64_t *out)
{
	const char *p = find_line(text, "some "), *const end = p ? strchr(p, '\n') : NULL;

	p = p ? strstr(p, "total=") : NULL;
	if (!p || (end && p > end))
		return -EINVAL;
	p += strlen("total=");
	return take_u64(&p, out);
}

/* Columns of a cpu line: user nice system idle iowait irq softirq steal guest guest_nice. */
static int take_cpu(const char *p, struct sd_proc_cpu *out)
{
	uint64_t v[8] = {0};

	for (int i = 0; i < 8; i++) {
		p += strspn(p, " ");
		if (take_u64(&p, &v[i]) || v[i] > UINT64_MAX / 8)
			return -EINVAL;
	}
	out->busy = v[0] + v[1] + v[2] + v[5] + v[6];
	out->steal = v[7];
	return 0;
}

int sd_proc_parse_cpus(const char *text, struct sd_proc_cpu *out)
{
	const char *const p = find_line(text, "cpu ");

	*out = (struct sd_proc_cpu){0};
	return p ? take_cpu(p, out) : -ENOENT;
}

int sd_proc_parse_cpu(const char *text, unsigned cpu, struct sd_proc_cpu *out)
{
	const char *p = text;
	uint64_t n;

	*out = (struct sd_proc_cpu){.cpu = cpu};
	while ((p = find_line(p, "cpu"))) {
		if (take_u64(&p, &n) || n != cpu || *p != ' ')
			continue;
		return take_cpu(p, out);
	}
	return -ENOENT;
}

int sd_proc_parse_map(char *line, struct sd_proc_map *out)
{
	int name = -1;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line,
		    "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64
		    " %n",
		    &out->start, &out->end, out->perms, &out->offset, &out->major, &out->minor,
		    &out->inode, &name) != 7 ||
		name < 0 || strlen(out->perms) < 4 || out->end < out->start)
		return -EINVAL;
	out->name = line + name;
	return 0;
}
