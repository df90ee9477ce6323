#include "resolve/jvm_monitors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "resolve/stack_activity.h"

/* ---- a dump ---------------------------------------------------------------------------------- */

/* Finds in "Ids.work(app//Ids.java:8)" the method's length, the file and the line. 0: it has no line, or
 * is of a module with a version, "java.base@17/UUID.java:150", as the JDK's own are: a place to
 * look at is the program's. */
static unsigned line_of(const char *frame, int *method, const char **file, int *length)
{
	const char *const open = strchr(frame, '('), *const colon = strrchr(frame, ':');
	const char *slash;
	unsigned long line;

	if (!open || !colon || colon < open || open == frame)
		return 0;
	*method = (int)(open - frame);
	*file = open + 1;
	slash = memrchr(*file, '/', (size_t)(colon - *file));
	*file = slash ? slash + 1 : *file;
	*length = (int)(colon - *file);
	if (slash && memchr(open, '@', (size_t)(slash - open)))
		return 0;
	line = strtoul(colon + 1, NULL, 10);
	return *length && line <= 1u << 24 ? (unsigned)line : 0;
}

static int is_row(const struct sd_jvm_waiting *w, const struct sd_jvm_waiting *of)
{
	return w->line == of->line && strcmp(w->method, of->method) == 0 &&
	       strcmp(w->file, of->file) == 0 && strcmp(w->object, of->object) == 0;
}

static void free_row(struct sd_jvm_waiting *w)
{
	free(w->method);
	free(w->file);
	free(w->object);
}

static void count(struct sd_jvm_monitors *m, const char *frame)
{
	struct sd_jvm_waiting w = {.dumps = 1};
	const char *file;
	int method, length;

	w.line = line_of(frame, &method, &file, &length);
	if (!w.line)
		return;
	w.method = strndup(frame, (size_t)method);
	w.file = strndup(file, (size_t)length);
	w.object = strdup(m->object);
	for (size_t i = 0; w.method && w.file && w.object && i < m->n; i++)
		if (is_row(&m->row[i], &w)) {
			m->row[i].dumps++;
			free_row(&w);
			return;
		}
	if (!w.method || !w.file || !w.object || m->n == SD_JVM_MONITORS_MOST ||
		SD_APPEND(m->row, m->n, &w))
		free_row(&w);
}

/* Counts the methods of a thread that waits, once each, and forgets it. */
static void end_thread(struct sd_jvm_monitors *m)
{
	for (unsigned i = 0; i < m->n_frame; i++) {
		const size_t method = strcspn(m->frame[i], "(");
		unsigned k = 0;

		while (k < i && strncmp(m->frame[k], m->frame[i], method + 1) != 0)
			k++;
		if (m->object && k == i)
			count(m, m->frame[i]);
	}
	for (unsigned i = 0; i < m->n_frame; i++)
		free(m->frame[i]);
	free(m->object);
	m->object = NULL;
	m->n_frame = 0;
}

/* "- waiting to lock <0x000000070fe0> (a java.lang.Object)", and likewise "- parking to wait for".
 */
static void read_object(struct sd_jvm_monitors *m, const char *line)
{
	const char *const class = strstr(line, "> (a ");
	const char *const end = class ? strrchr(class, ')') : NULL;

	if (end && !m->object)
		m->object = strndup(class + 5, (size_t)(end - class) - 5);
}

static void read_line(struct sd_jvm_monitors *m)
{
	static const char *const waits[] = {"- waiting to lock <", "- parking to wait for ", NULL};
	const char *const line = m->line + strspn(m->line, " \t");

	/* a thread ends with an empty line, or before the title of the next */
	if (!*line || *line == '"')
		end_thread(m);
	if (strncmp(line, "at ", 3) == 0 && m->n_frame < SD_JVM_MONITORS_DEEP) {
		m->frame[m->n_frame] = strdup(line + 3);
		m->n_frame += m->frame[m->n_frame] != NULL;
	}
	for (size_t i = 0; waits[i]; i++)
		if (strncmp(line, waits[i], strlen(waits[i])) == 0)
			read_object(m, line);
}

void sd_jvm_monitors_read(struct sd_jvm_monitors *m, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] != '\n') {
			if (m->used + 1 < sizeof m->line)
				m->line[m->used++] = text[i] ? text[i] : ' ';
			continue;
		}
		m->line[m->used] = '\0';
		m->used = 0;
		read_line(m);
	}
}

void sd_jvm_monitors_end(struct sd_jvm_monitors *m)
{
	m->used = 0;
	end_thread(m);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/* Does a method, as a dump names it, have this name of `n` bytes? */
static int is_method(const struct sd_jvm_waiting *w, const char *name, size_t n)
{
	return strncmp(w->method, name, n) == 0 && !w->method[n];
}

int sd_jvm_monitors_find(
	const struct sd_jvm_monitors *m, const char *method, struct sd_jvm_waiting *out)
{
	const char *const open = strchr(method, '(');
	const char *const end = open ? open : method + strlen(method);
	const char *const space = memrchr(method, ' ', (size_t)(end - method));
	const char *const name = space ? space + 1 : method;
	const size_t n = (size_t)(end - name);
	const struct sd_jvm_waiting *most = NULL;
	unsigned all = 0, line = 0, object = 0;

	for (size_t i = 0; i < m->n; i++)
		if (is_method(&m->row[i], name, n) && !(most && most->dumps >= m->row[i].dumps))
			most = &m->row[i];
	for (size_t i = 0; most && i < m->n; i++) {
		const struct sd_jvm_waiting *const w = &m->row[i];

		if (!is_method(w, name, n))
			continue;
		all += w->dumps;
		line += w->line == most->line && strcmp(w->file, most->file) == 0 ? w->dumps : 0;
		object += strcmp(w->object, most->object) == 0 ? w->dumps : 0;
	}
	if (!most || 10 * line < 9 * all)
		return 0;
	*out = *most;
	out->dumps = line;
	if (10 * object < 9 * all)
		out->object = NULL;
	return 1;
}

/* Is the machine's code for locks on the stack, whether it spins, sleeps or puts it to sleep? */
static int waits(struct sd_stack_resolve *p, unsigned node)
{
	const enum sd_activity a = sd_stack_activity(p, node, 1);

	return a == SD_ACTIVITY_RUNTIME_LOCK || a == SD_ACTIVITY_SEMAPHORE ||
	       sd_stack_activity(p, node, 0) == SD_ACTIVITY_SPIN_LOCK;
}

/* The frame with its method's line, or, behind methods that wait for an object, with its class.
 * `object`: that of the methods further out; NULL: of none. */
static int add_line(const struct sd_jvm_monitors *m, struct sd_stack_resolve *p, struct sd_frame *f,
	const char **object)
{
	const char *const function = sd_stacks_text_at(p->stacks, f->function);
	char with[SD_STACKS_TEXT + 1];

	if (strcmp(sd_stacks_text_at(p->stacks, f->module), "[jit]") == 0) {
		struct sd_jvm_waiting w;

		if (!sd_jvm_monitors_find(m, function, &w))
			return 0;
		*object = w.object;
		f->line = w.line;
		return sd_stacks_text(p->stacks, w.file, &f->file);
	}
	if (!*object || !*function)
		return 0;
	snprintf(with, sizeof with, "%s" SD_STACKS_OF "%s]", function, *object);
	*object = NULL;
	return sd_stacks_text(p->stacks, with, &f->function);
}

static unsigned with_lines(const struct sd_jvm_monitors *m, struct sd_stack_resolve *p,
	unsigned node, const char **object)
{
	const struct sd_node at = p->stacks->node[node];
	unsigned out = at.parent ? with_lines(m, p, at.parent, object) : 0, frame;
	struct sd_frame f = p->stacks->frame[at.frame];

	if (at.parent && out == p->too_many)
		return out;
	return add_line(m, p, &f, object) || sd_stacks_frame(p->stacks, &f, &frame) ||
			       sd_stacks_node(p->stacks, out, frame, &out)
		       ? p->too_many
		       : out;
}

unsigned sd_jvm_monitors_join(struct sd_jvm_monitors *m, struct sd_stack_resolve *p, unsigned node)
{
	const char *object = NULL;
	uint64_t *known;

	if (!m->n || !node || node == p->too_many || !waits(p, node))
		return node;
	known = sd_key_table_add(&m->joined, (uint64_t)node + 1, 0);
	if (known && *known)
		return (unsigned)(*known - 1);
	node = with_lines(m, p, node, &object);
	if (known)
		*known = (uint64_t)node + 1;
	return node;
}

void sd_jvm_monitors_again(struct sd_jvm_monitors *m)
{
	sd_jvm_monitors_end(m);
	sd_key_table_free(&m->joined);
}

void sd_jvm_monitors_free(struct sd_jvm_monitors *m)
{
	sd_jvm_monitors_again(m);
	for (size_t i = 0; i < m->n; i++)
		free_row(&m->row[i]);
	free(m->row);
	*m = (struct sd_jvm_monitors){0};
}
