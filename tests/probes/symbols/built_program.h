/*
 * A program built in many ways, and what is found of it.
 */
#ifndef SD_TEST_BUILT_PROGRAM_H
#define SD_TEST_BUILT_PROGRAM_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/symbols.h"
#include "probes/symbols/stopped.h"

enum { FRAMES = 64, PLACES = 8, LINE_INLINED = 100, LINE_LEAF = 200, LINE_CALL = 300 };

static const char source[] =
	"#include <unistd.h>\n"
	"#ifdef __cplusplus\n"
	"extern \"C++\" namespace ns { template <class T> void leaf(T); }\n"
	"#define LEAF ns::leaf<int>\n"
	"#define CALL(n) [=] { through(n); }()\n"
	"#else\n"
	"void bin_leaf(int);\n"
	"#define LEAF bin_leaf\n"
	"#define CALL(n) through(n)\n"
	"#endif\n"
	"volatile int sink; int bin_variable[16] = {1};\n"
	"void (*volatile through)(int);\n"
	"#line 100 \"chain.c\"\n"
	"static inline __attribute__((always_inline)) void bin_inlined(void)"
	" { char c; if (write(1, &bin_variable, sizeof(int *)) > 0) sink = (int)read(0, &c, 1); }\n"
	"#ifdef __cplusplus\n"
	"namespace ns { template <class T> __attribute__((noinline))\n"
	"#line 200\n"
	"void leaf(T n) { bin_inlined(); sink = n; } }\n"
	"#else\n"
	"__attribute__((noinline))\n"
	"#line 200\n"
	"void bin_leaf(int n) { bin_inlined(); sink = n; }\n"
	"#endif\n"
	"static __attribute__((noinline)) void bin_middle(int n)\n"
	"#line 300\n"
	"{ through = LEAF; CALL(n); sink = n; }\n"
	"int main(void) { int *p = bin_variable; if (write(1, &p, sizeof p) < 0) return 1;\n"
	" bin_middle(3); return 0; }\n";

struct built {
	char folder[64];
	char program[128];
	int pid, in, out;
	uint64_t variable; /* where its bin_variable is */
	uint64_t second;   /* the word that it writes next */
};

/* `how` is a shell command in the folder: it makes `program` from chain.c or chain.cc, both of
 * which have this text. */
static inline int build_from(struct built *b, const char *text, const char *how)
{
	static const char *const names[] = {"chain.c", "chain.cc"};
	char path[160], command[1024];

	*b = (struct built){.pid = -1, .in = -1, .out = -1};
	strcpy(b->folder, "/tmp/sd-binaries-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	snprintf(b->program, sizeof b->program, "%s/program", b->folder);
	for (size_t i = 0; i < 2; i++) {
		FILE *f;

		snprintf(path, sizeof path, "%s/%s", b->folder, names[i]);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(text, f);
		assert_int_equal(fclose(f), 0);
	}
	snprintf(command, sizeof command, "cd %s && { %s; } 2>log", b->folder, how);
	return system(command) == 0 ? 0 : -1;
}

static inline int build(struct built *b, const char *how)
{
	return build_from(b, source, how);
}

static inline void run(struct built *b)
{
	int in[2], out[2];

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	b->pid = fork();
	assert_true(b->pid >= 0);
	if (b->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execl(b->program, b->program, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	b->in = in[1];
	b->out = out[0];
	assert_int_equal(read(b->out, &b->variable, sizeof b->variable), sizeof b->variable);
	/* the second one: it is in its leaf, and about to wait */
	assert_int_equal(read(b->out, &b->second, sizeof b->second), sizeof b->second);
	usleep(20000);
}

static inline void end(struct built *b)
{
	if (b->pid > 0) {
		kill(b->pid, SIGKILL);
		while (waitpid(b->pid, NULL, __WALL) > 0)
			;
		close(b->in);
		close(b->out);
	}
	b->pid = -1;
}

static inline void stop(struct built *b)
{
	char command[128];

	end(b);
	snprintf(command, sizeof command, "rm -rf %s", b->folder);
	assert_int_equal(system(command), 0);
}

/* The executable mappings, as events tell of them. */
/* Its code; `all`: its data too, as of an emulated program. */
static inline void tell_maps(struct sd_symbols *s, int pid, int all)
{
	char path[64], line[1024];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		struct sd_event e = {.kind = SD_EVENT_MAP, .pid = pid, .tid = pid};
		unsigned long start, end, offset, inode;
		char x;
		int name = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%lx-%lx %*c%*c%c%*c %lx %x:%x %lu %n", &start, &end, &x, &offset,
			    &e.major, &e.minor, &inode, &name) < 7 ||
			(x != 'x' && !all))
			continue;
		e.address = start;
		e.size = end - start;
		e.offset = offset;
		e.inode = inode;
		e.name = line + name;
		assert_int_equal(sd_symbols_event(s, &e), 0);
	}
	fclose(f);
}

static inline void tell(struct sd_symbols *s, int pid)
{
	tell_maps(s, pid, 0);
}

struct seen {
	struct sd_placement_of place[FRAMES * PLACES];
	size_t n;
	int whole;
};

static inline int look(struct sd_symbols *s, int pid, struct seen *out)
{
	static struct stopped at;
	struct sd_unwound how;
	struct sd_event e;
	uint64_t pc[FRAMES];
	size_t n;

	if (stopped_look(&at, pid) != 0)
		return -1;
	e = stopped_event(&at, pid, at.size);
	n = sd_symbols_unwind(s, &e, pc, FRAMES, &how);
	out->whole = how.whole;
	out->n = 0;
	for (size_t i = 0; i < n; i++)
		out->n += sd_symbols_at(s, pid, pc[i], i > 0, out->place + out->n, PLACES);
	return 0;
}

static inline const struct sd_placement_of *find(const struct seen *seen, const char *function)
{
	for (size_t i = 0; i < seen->n; i++)
		if (seen->place[i].function && strcmp(seen->place[i].function, function) == 0)
			return &seen->place[i];
	return NULL;
}

static inline void cannot(void)
{
	print_message("SKIP: no compiler, or no tracing, here\n");
	skip();
}

#endif
