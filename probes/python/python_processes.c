#include "python/python_processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "proc/task_ids.h"
#include "proc/textfile.h"

#define LIST_NS 40000000u /* between two searches for children, and a 20th of the time so far */
#define TRY_NS                                                                             \
	10000000u /* after the first try to find CPython; after each other 4 times as long \
		   */
#define TRIES 6u  /* the last 3.4 s after the first */

void sd_python_processes_add(
	struct sd_python_processes *l, int pid, const struct sd_python_process *parent)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->process[i].pid == pid)
			return;
	if (l->n == SD_PYTHON_PROCESSES)
		return;
	l->process[l->n] = (struct sd_python_process){.pid = pid};
	if (parent && parent->found) {
		l->process[l->n].program = parent->program;
		l->process[l->n].found = 1;
	}
	l->n++;
}

static void add_children_of(
	struct sd_python_processes *l, const struct sd_python_process *parent, int tid)
{
	char path[80], text[4096], *at = text, *end;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent->pid, tid);
	if (sd_textfile_read(l->root, path, text, sizeof text))
		return;
	for (long child; (child = strtol(at, &end, 10)) > 0 && end != at; at = end)
		sd_python_processes_add(l, (int)child, parent);
}

static void list(struct sd_python_processes *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct sd_python_process p = l->process[i];
		struct sd_task_ids ids = {0};

		if (sd_task_ids_add(&ids, l->root, p.pid) >= 0) {
			for (size_t k = 0; k < ids.n; k++)
				add_children_of(l, &p, ids.tid[k]);
			l->process[kept++] = p;
		}
		sd_task_ids_free(&ids);
	}
	l->n = kept;
}

void sd_python_processes_list(struct sd_python_processes *l, uint64_t now, uint64_t lasts)
{
	if (now - l->listed <= LIST_NS + lasts / 20)
		return;
	l->listed = now;
	list(l);
}

/* Begins anew where the process runs another program than before. */
static void follow_exec(const struct sd_python_processes *l, struct sd_python_process *p)
{
	char path[4096];
	struct stat st;

	if (snprintf(path, sizeof path, "%s/proc/%d/exe", l->root, p->pid) >= (int)sizeof path ||
		stat(path, &st) || (st.st_dev == p->device && st.st_ino == p->inode))
		return;
	if (p->inode)
		*p = (struct sd_python_process){.pid = p->pid};
	p->device = st.st_dev;
	p->inode = st.st_ino;
}

/* Are its types types still? Not once the process runs another program. */
static int is_there(const struct sd_python_process *p)
{
	const unsigned at = p->program.layout->at[SD_PYTHON_OBJECT_TYPE];
	uint64_t one, other;

	return sd_python_program_read(p->pid, p->program.code + at, &one, sizeof one) &&
	       sd_python_program_read(p->pid, p->program.text + at, &other, sizeof other) && one &&
	       one == other;
}

int sd_python_processes_is_found(
	struct sd_python_processes *l, struct sd_python_process *p, uint64_t now)
{
	int rc;

	follow_exec(l, p);
	if (p->found && is_there(p))
		return 1;
	p->found = 0;
	if (p->tries == TRIES || now < p->next)
		return 0;
	p->next = now + ((uint64_t)TRY_NS << 2 * p->tries++);
	rc = sd_python_program_find(l->root, p->pid, &l->layouts, &p->program);
	p->found = rc == 0;
	if (rc == -EOPNOTSUPP)
		p->tries = TRIES;
	return p->found;
}
