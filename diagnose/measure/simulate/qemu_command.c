#include "simulate/qemu_command.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "base/number.h"
#include "launch/preload.h"
#include "launch/program_path.h"
#include "launch/command_words.h"
#include "simulate/emulator.h"

/* Scripts whose interpreter is a script, as the kernel takes them. */
#define NESTING 4
#define SETTLED \
	5 /* percent that the counts are known to: causes are told from 5 % of the time on */
#define HEAP "scalediag-heap.so"
#define HEAD \
	512 /* of a script's first line, as much as the kernel takes (BINPRM_BUF_SIZE is 256) */

/* The emulator of each kind of ELF file. */
static const struct {
	unsigned machine;
	unsigned char bits, order;
	const char *emulator;
} emulators[] = {
	{EM_X86_64, ELFCLASS64, ELFDATA2LSB, "qemu-x86_64"},
	{EM_386, ELFCLASS32, ELFDATA2LSB, "qemu-i386"},
	{EM_AARCH64, ELFCLASS64, ELFDATA2LSB, "qemu-aarch64"},
	{EM_ARM, ELFCLASS32, ELFDATA2LSB, "qemu-arm"},
	{EM_RISCV, ELFCLASS64, ELFDATA2LSB, "qemu-riscv64"},
	{EM_PPC64, ELFCLASS64, ELFDATA2LSB, "qemu-ppc64le"},
	{EM_S390, ELFCLASS64, ELFDATA2MSB, "qemu-s390x"},
};

/* A command under construction. */
struct words {
	char **word;
	size_t n, room;
};

static int add(struct words *w, const char *text)
{
	if (w->n + 1 >= w->room) {
		char **more = reallocarray(w->word, 2 * w->room + 16, sizeof *more);

		if (!more)
			return -ENOMEM;
		w->word = more;
		w->room = 2 * w->room + 16;
	}
	w->word[w->n + 1] = NULL;
	w->word[w->n] = strdup(text);
	return w->word[w->n] ? (w->n++, 0) : -ENOMEM;
}

/* ---- the program's file ---------------------------------------------------------------------- */

/* The bytes that say what a file is; how many, or -errno. */
static ssize_t read_head(const char *path, char head[HEAD])
{
	const int fd = sd_regular_file_open(path, 0, NULL);
	size_t n;

	memset(head, 0, HEAD);
	if (fd < 0)
		return fd;
	n = sd_regular_file_bytes(fd, head, HEAD - 1, 0);
	close(fd);
	return (ssize_t)n;
}

/* "#! interpreter [argument]": the words go before the script's own path. */
static int add_interpreter(struct words *before, char *line)
{
	char *name, *argument;
	int rc;

	line[strcspn(line, "\n")] = '\0';
	name = line + 2 + strspn(line + 2, " \t");
	argument = name + strcspn(name, " \t");
	if (*argument)
		*argument++ = '\0';
	argument += strspn(argument, " \t");
	argument[strcspn(argument, "\r")] = '\0';
	rc = *name ? add(before, name) : -ENOEXEC;
	if (!rc && *argument)
		rc = add(before, argument);
	return rc;
}

static const char *emulator_of(const unsigned char *head, ssize_t n)
{
	const unsigned big = head[EI_DATA] == ELFDATA2MSB;
	unsigned machine;

	if (n < 20 || memcmp(head, ELFMAG, SELFMAG) != 0)
		return NULL;
	machine = big ? head[18] << 8 | head[19] : head[18] | head[19] << 8;
	for (size_t i = 0; i < sizeof emulators / sizeof *emulators; i++)
		if (emulators[i].machine == machine && emulators[i].bits == head[EI_CLASS] &&
			emulators[i].order == head[EI_DATA])
			return emulators[i].emulator;
	return NULL;
}

/*
 * Follows #! lines from `path` to the ELF file that the kernel would start: *emulator, and in `run`
 * that file, its argument and the scripts' paths.
 */
static int resolve(
	const char *path, struct words *run, const char **emulator, const struct sd_sink *sink)
{
	char head[HEAD], *file = strdup(path);
	int rc = file ? 0 : -ENOMEM;

	for (int i = 0; !rc; i++) {
		struct words before = {0};
		const ssize_t n = read_head(file, head);

		if (n < 0) {
			sd_say(sink, SD_LEVEL_ERROR,
				"%s: cannot be read (%s), and the emulator must read it", file,
				strerror((int)-n));
			rc = -ENOEXEC;
			break;
		}
		if (head[0] != '#' || head[1] != '!') {
			*emulator = emulator_of((const unsigned char *)head, n);
			if (*emulator)
				break;
			sd_say(sink, SD_LEVEL_ERROR,
				"%s: neither a script with a #! line nor a program that an "
				"emulator with plugins is known for: --events os measures it",
				file);
			rc = -ENOEXEC;
			break;
		}
		rc = i < NESTING ? add_interpreter(&before, head) : -ENOEXEC;
		if (rc == -ENOEXEC)
			sd_say(sink, SD_LEVEL_ERROR, "%s: its #! line leads nowhere", file);
		for (size_t k = 0; !rc && k < run->n; k++)
			rc = add(&before, run->word[k]);
		sd_command_words_free(run->word);
		*run = before;
		free(file);
		file = !rc ? strdup(run->word[0]) : NULL;
		rc = rc ? rc : file ? 0 : -ENOMEM;
	}
	free(file);
	return rc;
}

/* ---- the emulator and its plugin ------------------------------------------------------------- */

/* QEMU separates a plugin's options by commas, and takes two of them for one. */
static void put_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == ',')
			fputc(',', f);
		fputc(*text, f);
	}
}

/* Whether a region is a function's; seconds become the plugin's milliseconds. */
static void put_region(FILE *f, const char *option, const char *text)
{
	double s;

	if (text[0] == '@')
		fprintf(f, ",function=%s", text + 1);
	else if (text[0] && strchr(text, '%'))
		fprintf(f, ",share=%d", atoi(text));
	else if (text[0] && sd_number_double(text, 0, 1e8, &s) == 0)
		fprintf(f, ",%s=%.0f", option, s * 1e3);
}

/* Puts the part of the program to model: a region, parts, or all until its counts are known well
 * enough, and then parts. The times of a machine that is modelled whole are those of all of it. */
static void put_part(FILE *f, const struct sd_qemu_command *e)
{
	const struct sd_plan_simulation *const s = e->simulation;

	put_region(f, "from_ms", s->from);
	put_region(f, "for_ms", s->length);
	if (!s->from[0] && !s->length[0] && !e->model)
		fprintf(f, ",settle=%d", SETTLED);
}

static void put_costs(FILE *f, const struct sd_sim_costs *c)
{
	/* a second-level DTLB hit costs 7 cycles on Intel's cores (METHODS 1.3) */
	if (c->hz > 0)
		fprintf(f, ",latency=%u:%u:%u:%u:7:%u", c->l2, c->llc, c->memory, c->transfer,
			c->walk);
}

static char *plugin_word(const struct sd_qemu_command *e)
{
	const struct sd_sim_machine *m = &e->simulation->machine;
	char *word = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&word, &size);

	if (!f)
		return NULL;
	put_escaped(f, e->plugin);
	fputs(",out=", f);
	put_escaped(f, e->output);
	fputs(",name=", f);
	put_escaped(f, m->name);
	fprintf(f, ",cores=%u,line=%u,l1=%llu:%u", e->cores, m->line,
		(unsigned long long)m->l1.bytes, m->l1.ways);
	if (m->l2.bytes)
		fprintf(f, ",l2=%llu:%u:%d", (unsigned long long)m->l2.bytes, m->l2.ways,
			m->l2.inclusive ? 1 : 0);
	else
		fputs(",l2=0:1", f);
	fprintf(f, ",llc=%llu:%u:%u:%d", (unsigned long long)m->llc.bytes, m->llc.ways,
		m->llc.sharers, m->llc.inclusive ? 1 : 0);
	fprintf(f, ",dtlb=%u:%u,stlb=%u:%u,page=%u,adjacent=%d", m->dtlb_entries, m->dtlb_ways,
		m->stlb_entries, m->stlb_ways ? m->stlb_ways : 1, m->page, m->adjacent ? 1 : 0);
	put_costs(f, &e->simulation->costs);
	if (e->model)
		fprintf(f, ",core=%u:%u:%u:%u", e->model->instructions, e->model->bus,
			e->model->ahead, e->model->far);
	if (e->total)
		fputs(",total=1", f);
	else
		put_part(f, e);
	if (fclose(f) != 0) {
		free(word);
		return NULL;
	}
	return word;
}

/* The library that tells of the heap, beside the plugin, into the program's environment: QEMU
 * itself stays without. Else *why. */
static int add_heap(struct words *all, const struct sd_qemu_command *e, const char *program,
	char *const *envp, const char **why)
{
	const char *const slash = strrchr(e->plugin, '/');
	char *library = NULL, *name = NULL, *word = NULL;
	int rc = -ENOMEM, fd = -1;

	if (asprintf(&library, "%.*s" HEAP, slash ? (int)(slash + 1 - e->plugin) : 0, e->plugin) <
		0)
		return -ENOMEM;
	*why = sd_preload_refused(program);
	if (!*why && access(library, R_OK) != 0)
		*why = HEAP " is not beside the plugin";
	if (*why)
		rc = 0;
	else if ((name = sd_preload_name(library, &fd)) && (word = sd_preload_word(name, envp)) &&
		 !(rc = add(all, "-E")))
		rc = add(all, word);
	if (e->heap)
		*e->heap = fd;
	else if (fd >= 0)
		close(fd);
	free(name);
	free(word);
	free(library);
	return rc;
}

/* Set-user-ID or set-group-ID to somebody else: the kernel gives that to QEMU's file, not to one
 * that QEMU reads. */
static int elevates(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
					       (st.st_mode & S_ISGID && st.st_gid != getegid()));
}

int sd_qemu_command_argv(const struct sd_qemu_command *e, char *const *argv, char *const *envp,
	char ***out, const struct sd_sink *sink)
{
	char *path = NULL, *emulator = NULL, *plugin = plugin_word(e);
	const char *name = NULL, *why = NULL;
	struct words run = {0}, all = {0};
	int rc = plugin ? sd_program_path_find(argv[0], e->cwd, envp, &path, sink) : -ENOMEM;

	if (rc && rc != -ENOMEM)
		rc = -ENOEXEC;
	if (!rc)
		rc = add(&run, path);
	if (!rc)
		rc = resolve(path, &run, &name, sink);
	if (!rc)
		rc = sd_emulator_find(name, e->plugin, envp, &emulator, sink);
	if (!rc && !(rc = add(&all, emulator)) && run.n == 1 && !(rc = add(&all, "-0")))
		rc = add(&all, argv[0]); /* the program sees its name as it was given */
	if (!rc && !e->total)
		rc = add_heap(&all, e, run.word[0], envp, &why);
	if (!rc && e->elevated)
		*e->elevated = elevates(path);
	if (e->blind)
		*e->blind = why;
	if (!rc && !(rc = add(&all, "-plugin")))
		rc = add(&all, plugin);
	for (size_t i = 0; !rc && i < run.n; i++)
		rc = add(&all, run.word[i]);
	for (size_t i = 1; !rc && argv[i]; i++)
		rc = add(&all, argv[i]);
	if (!rc)
		*out = all.word;
	else
		sd_command_words_free(all.word);
	sd_command_words_free(run.word);
	free(path);
	free(emulator);
	free(plugin);
	return rc;
}

/* Whether this host runs the plugin built for AVX2: all that the Makefile gives the compiler. */
static int has_avx2(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
	return 0;
#endif
}

char *sd_qemu_command_plugin_in(const char *folder)
{
	char *path;

	for (int avx2 = has_avx2(); avx2 >= 0; avx2--) {
		if (asprintf(&path, "%sscalediag-sim%s.so", folder, avx2 ? "-avx2" : "") < 0)
			return NULL;
		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

char *sd_qemu_command_plugin(const struct sd_sink *sink)
{
	static const char *const places[] = {"", "../lib/scalediag/", "../lib/"};
	const char *const given = getenv("SCALEDIAG_SIM_PLUGIN");
	char self[4096], *folder, *path;
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (given && *given) {
		if (access(given, R_OK) == 0)
			return realpath(given, NULL);
		sd_say(sink, SD_LEVEL_ERROR, "SCALEDIAG_SIM_PLUGIN: %s: %s", given,
			strerror(errno));
		return NULL;
	}
	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/'))
		strrchr(self, '/')[1] = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (asprintf(&folder, "%s%s", self, places[i]) < 0)
			return NULL;
		path = sd_qemu_command_plugin_in(folder);
		free(folder);
		if (path)
			return path;
	}
	sd_say(sink, SD_LEVEL_ERROR,
		"the plugin of the software PMU, scalediag-sim.so, is neither beside the program "
		"(%s) nor in ../lib/scalediag: `make` builds it, `make install` puts it there, "
		"and SCALEDIAG_SIM_PLUGIN may name it",
		self);
	return NULL;
}
