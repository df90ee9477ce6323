/*
 * Reads what perf says of a run: samples by function, and the switches of its threads.
 */
#ifndef SD_BENCH_PERF_OUTPUT_H
#define SD_BENCH_PERF_OUTPUT_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define KEY 512
#define KEYS 65536
#define THREADS 8192

static char folder[] = "/tmp/bench_attribution-XXXXXX";

/* A function of a file, and how often either saw it. */
struct seen {
	char key[KEY];
	double ours, theirs;
};

struct result {
	struct seen *seen; /* KEYS of them */
	size_t n;
	double n_ours;       /* samples */
	double ours, theirs; /* seconds; samples */
	double blocked_ours, ready_ours, blocked_theirs;
};

/* The name without the marks by which one address has several: "__GI_x", "x@GLIBC_2.2.5". */
static inline const char *bare(const char *function)
{
	function += strspn(function, "_");
	function += strncmp(function, "GI_", 3) == 0 ? 3 : 0;
	return function + strspn(function, "_");
}

static inline struct seen *key_of(struct result *r, const char *module, const char *function)
{
	const char *const slash = strrchr(module, '/');
	char key[KEY], *alias;

	snprintf(key, sizeof key, "%s %s", slash ? slash + 1 : module,
		*bare(function) ? bare(function) : "?");
	key[strcspn(key, "@(")] = '\0';  /* nor have all names of C++ their arguments */
	alias = strstr(key, " memcpy_"); /* glibc's memmove of the same kind is the same code */
	if (alias && strlen(key) + 1 < sizeof key) {
		memmove(alias + 9, alias + 8, strlen(alias + 8) + 1);
		memcpy(alias, " memmove_", 9);
	}
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->seen[i].key, key) == 0)
			return &r->seen[i];
	if (r->n == KEYS)
		return NULL;
	snprintf(r->seen[r->n].key, KEY, "%s", key);
	return &r->seen[r->n++];
}

static inline pid_t start(char *const argv[])
{
	const pid_t pid = fork();

	if (pid == 0) {
		const int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	return pid;
}

static inline FILE *ask(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline FILE *ask(const char *format, ...)
{
	char command[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(command, sizeof command, format, ap);
	va_end(ap);
	return popen(command, "r");
}

static inline char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(" \n", end[-1]))
		*--end = '\0';
	return text + strspn(text, " ");
}

/* "  123;libc.so.6;[.] memcpy": samples, file, function. */
static inline void take_theirs(struct result *r)
{
	char line[4096];
	FILE *const f = ask("perf report --stdio -g none --no-inline --percent-limit 0 -t ';' "
			    "-F sample,dso,sym -i %s/record 2>/dev/null",
		folder);

	while (f && fgets(line, sizeof line, f)) {
		char *const dso = strchr(line, ';'), *const sym = dso ? strchr(dso + 1, ';') : NULL;
		const double n = atof(line);
		struct seen *s;
		char *name;
		int kernel;

		if (*line == '#' || !sym || !(n > 0))
			continue;
		*dso = *sym = '\0';
		name = trim(sym + 1);
		kernel = strncmp(name, "[k]", 3) == 0;
		if (*name == '[')
			name = trim(name + 3);
		s = key_of(r, kernel ? "[kernel]" : trim(dso + 1),
			strncmp(name, "0x", 2) == 0 ? "" : name);
		r->theirs += n;
		if (s)
			s->theirs += n;
	}
	if (f)
		pclose(f);
}

/* Its threads: the first, and those that threads of it made. */
struct tree {
	int tid[THREADS];
	int waits[THREADS];   /* since its last switch */
	double left[THREADS]; /* s, of that switch */
	double ran[THREADS];  /* s, since */
	size_t n;
};

static inline size_t find(const struct tree *t, int tid)
{
	size_t i = 0;

	while (i < t->n && t->tid[i] != tid)
		i++;
	return i;
}

static inline void read_tree(struct tree *t)
{
	char line[1024];
	FILE *const f = ask("perf script -i %s/sched --show-task-events -F event,pid,tid "
			    "2>/dev/null | grep PERF_RECORD_FORK",
		folder);

	while (f && fgets(line, sizeof line, f)) {
		int pid, tid, ppid, ptid;
		const char *const at = strstr(line, "FORK(");

		if (at && sscanf(at, "FORK(%d:%d):(%d:%d)", &pid, &tid, &ppid, &ptid) == 4 &&
			t->n < THREADS && find(t, ptid) < t->n)
			t->tid[t->n++] = tid;
	}
	if (f)
		pclose(f);
}

static inline const char *after(const char *line, const char *word)
{
	const char *const at = strstr(line, word);

	return at ? at + strlen(word) : NULL;
}

/*
 * From each switch of a thread that was not ready to run to the next one of it, less what it ran in
 * between (sched_stat_runtime). `perf sched timehist` takes the switch back instead, which is
 * missing where the idle task made it, and after the last wait of a thread that ends. What a thread
 * that was woken waited for a CPU is in it, by up to our ready time.
 */
static inline void take_switches(struct result *r, int pid)
{
	static struct tree t;
	char line[1024];
	FILE *f;

	t = (struct tree){.tid = {pid}, .n = 1};
	read_tree(&t);
	f = ask("perf script -i %s/sched -F time,event,trace 2>/dev/null", folder);
	while (f && fgets(line, sizeof line, f)) {
		const char *const ran = after(line, "runtime="), *const of = after(line, " pid=");
		const char *const from = after(line, "prev_pid=");
		const char *const state = after(line, "prev_state=");
		const double now = atof(line);
		const size_t i = find(&t, ran && of ? atoi(of) : from ? atoi(from) : -1);

		if (i == t.n)
			continue;
		if (ran)
			t.ran[i] += atof(ran) / 1e9;
		if (!state)
			continue;
		if (t.waits[i] && now - t.left[i] > t.ran[i])
			r->blocked_theirs += now - t.left[i] - t.ran[i];
		t.waits[i] = !strchr("RXZ", *state);
		t.left[i] = now;
		t.ran[i] = 0;
	}
	if (f)
		pclose(f);
}

#endif
