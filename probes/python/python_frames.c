#include "python/python_frames.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "python/python_lines.h"
#include "python/python_program.h"

#define STACK_BYTES 2048u /* bytes that are read at once */

/* Zeroed has read nothing. */
struct python_stack {
	uint64_t start;
	size_t n;
	unsigned char byte[STACK_BYTES];
};

/* The `size` bytes of the frame at an address; NULL: they cannot be read. Valid until the next
 * call. */
static const unsigned char *python_stack_frame(
	struct python_stack *s, int pid, uint64_t frame, size_t size)
{
	if (size > STACK_BYTES || frame < STACK_BYTES || frame > UINT64_MAX - size)
		return NULL;
	if (frame >= s->start && frame - s->start <= STACK_BYTES - size && s->n &&
		frame - s->start + size <= s->n)
		return s->byte + (frame - s->start);
	s->n = STACK_BYTES;
	s->start = frame + size - STACK_BYTES;
	if (!sd_python_program_read(pid, s->start, s->byte, s->n)) {
		s->n = size; /* it is the first of its piece */
		s->start = frame;
		if (!sd_python_program_read(pid, frame, s->byte, size))
			s->n = 0;
	}
	return s->n ? s->byte + (frame - s->start) : NULL;
}

/* Looks are 10 ms and a 500th of the time since the first apart, and take at most 1 % of a core;
 * those that read names, which each function needs once, take more. */
#define LOOK_NS 10000000u
#define LATER 500u
#define COST 100u
#define SEARCH_NS 20000000u /* where nothing was found so far */
#define CHECK_NS 200000000u /* for which a function is taken to be there still */
#define NEAR_NS 200000000u
#define INTERPRETERS 4u
#define THREADS 256u
#define CODES 16384u /* powers of two */
#define LAST 4096u
#define PLACES (1u << 20)
#define SEEN (1u << 17)

/* ---- functions ------------------------------------------------------------------------------- */

static unsigned slot_of(int pid, uint64_t address)
{
	uint64_t h = (address ^ (uint64_t)(unsigned)pid << 48) * UINT64_C(0x9e3779b97f4a7c15);

	return (unsigned)(h >> 40) & (2 * CODES - 1);
}

static int is_same(const struct sd_python_code *a, const struct sd_python_code *b)
{
	return a->pid == b->pid && a->address == b->address && a->file_at == b->file_at &&
	       a->name_at == b->name_at && a->lines_at == b->lines_at &&
	       a->first_line == b->first_line;
}

/* The number + 1 of a function; 0: there is none, or no room. One that was there a moment ago still
 * is. */
static unsigned find_code(struct sd_python_frames *f, const struct sd_python_program *p, int pid,
	uint64_t address, uint64_t now)
{
	struct sd_python_code code;
	unsigned at = slot_of(pid, address);

	for (unsigned i = at; f->by_address[i]; i = (i + 1) & (2 * CODES - 1)) {
		const struct sd_python_code *const c = &f->code[f->by_address[i] - 1];

		if (c->pid == pid && c->address == address && now - c->checked < CHECK_NS)
			return f->by_address[i];
	}
	if (!sd_python_objects_code(p, pid, address, &code))
		return 0;
	/* one that has another's address, which is gone, comes behind it */
	for (; f->by_address[at]; at = (at + 1) & (2 * CODES - 1))
		if (is_same(&f->code[f->by_address[at] - 1], &code)) {
			f->code[f->by_address[at] - 1].checked = now;
			return f->by_address[at];
		}
	if (f->n_code == CODES)
		return 0;
	if (sd_python_objects_name(p, &code)) {
		sd_python_objects_free(&code);
		return 0;
	}
	code.checked = now;
	f->code[f->n_code++] = code;
	f->by_address[at] = (unsigned)f->n_code;
	return f->by_address[at];
}

/* ---- threads --------------------------------------------------------------------------------- */

static int is_as_before(const struct sd_python_frames *f, const struct sd_python_seen *s, int tid,
	const struct sd_python_place *place, size_t n)
{
	return s->tid == tid && s->n == n &&
	       memcmp(f->place + s->at, place, n * sizeof *place) == 0;
}

static void note(struct sd_python_frames *f, int tid, const struct sd_python_place *place, size_t n,
	uint64_t now)
{
	uint32_t *const last = &f->last[(unsigned)tid & (LAST - 1)];

	if (*last && is_as_before(f, &f->seen[*last - 1], tid, place, n)) {
		f->seen[*last - 1].to = now;
		return;
	}
	if (f->n_seen == SEEN || f->n_place + n > PLACES)
		return;
	memcpy(f->place + f->n_place, place, n * sizeof *place);
	f->seen[f->n_seen++] = (struct sd_python_seen){
		.tid = tid, .from = now, .to = now, .at = (uint32_t)f->n_place, .n = (uint32_t)n};
	f->n_place += n;
	*last = (uint32_t)f->n_seen;
}

static unsigned line_of(const struct sd_python_code *c, uint64_t start, uint64_t instruction)
{
	unsigned line = 0;

	if (c->lines && instruction >= start) /* one that has just begun is before its start */
		line = sd_python_lines_at(c->lines, c->n_lines, c->first_line, instruction - start);
	return line ? line : c->first_line;
}

static uint64_t word(const unsigned char *from, unsigned at)
{
	uint64_t v;

	memcpy(&v, from + at, sizeof v);
	return v;
}

/* Bytes of a structure up to the end of the last of some fields. */
static size_t end_of(const unsigned *at, const enum sd_python_field *field, size_t n)
{
	size_t end = 0;

	for (size_t i = 0; i < n; i++)
		end = at[field[i]] + 8 > end ? at[field[i]] + 8 : end;
	return end;
}

/* Reads the functions from a frame outward; how many. */
static size_t read_frames(struct sd_python_frames *f, int pid, const struct sd_python_program *p,
	uint64_t frame, uint64_t now, struct sd_python_place place[SD_PYTHON_DEPTH])
{
	static const enum sd_python_field field[] = {
		SD_PYTHON_FRAME_CODE, SD_PYTHON_FRAME_PREVIOUS, SD_PYTHON_FRAME_INSTRUCTION};
	const unsigned *const at = p->layout->at;
	const size_t size = end_of(at, field, sizeof field / sizeof *field);
	struct python_stack stack = {0};
	size_t n = 0;

	/* frames of the interpreter itself are among them, without a function */
	for (unsigned i = 0; i < 2 * SD_PYTHON_DEPTH && frame && n < SD_PYTHON_DEPTH; i++) {
		const unsigned char *const whole = python_stack_frame(&stack, pid, frame, size);
		uint64_t code;
		unsigned number;

		if (!whole)
			break;
		code = word(whole, at[SD_PYTHON_FRAME_CODE]);
		number = find_code(f, p, pid, code, now);
		if (number)
			place[n++] = (struct sd_python_place){.code = number - 1,
				.line = line_of(&f->code[number - 1],
					code + at[SD_PYTHON_CODE_START],
					word(whole, at[SD_PYTHON_FRAME_INSTRUCTION]))};
		frame = word(whole, at[SD_PYTHON_FRAME_PREVIOUS]);
	}
	return n;
}

static int follow(int pid, uint64_t address, uint64_t *out)
{
	return sd_python_program_read(pid, address, out, sizeof *out);
}

/* Returns the next thread; 0 none. */
static uint64_t look_at_thread(struct sd_python_frames *f, int pid,
	const struct sd_python_program *p, uint64_t thread, uint64_t now)
{
	static const enum sd_python_field field[] = {
		SD_PYTHON_THREAD_NEXT, SD_PYTHON_THREAD_ID, SD_PYTHON_THREAD_FRAME};
	const unsigned *const at = p->layout->at;
	const size_t size = end_of(at, field, sizeof field / sizeof *field);
	struct sd_python_place place[SD_PYTHON_DEPTH];
	unsigned char whole[1024];
	uint64_t id, frame;
	size_t n;

	if (size > sizeof whole || !sd_python_program_read(pid, thread, whole, size))
		return 0;
	id = word(whole, at[SD_PYTHON_THREAD_ID]);
	frame = word(whole, at[SD_PYTHON_THREAD_FRAME]);
	if (at[SD_PYTHON_THREAD_FRAME_KEPT] && frame &&
		!follow(pid, frame + at[SD_PYTHON_KEPT_FRAME], &frame))
		frame = 0;
	n = frame && id && id <= INT_MAX ? read_frames(f, pid, p, frame, now, place) : 0;
	if (n)
		note(f, (int)id, place, n, now);
	return word(whole, at[SD_PYTHON_THREAD_NEXT]);
}

static int make_room(struct sd_python_frames *f)
{
	/* untouched pages cost nothing */
	f->code = f->code ? f->code : calloc(CODES, sizeof *f->code);
	f->by_address = f->by_address ? f->by_address : calloc(2 * CODES, sizeof *f->by_address);
	f->place = f->place ? f->place : malloc(PLACES * sizeof *f->place);
	f->seen = f->seen ? f->seen : malloc(SEEN * sizeof *f->seen);
	f->last = f->last ? f->last : calloc(LAST, sizeof *f->last);
	return f->code && f->by_address && f->place && f->seen && f->last;
}

void sd_python_frames_look_at(
	struct sd_python_frames *f, int pid, const struct sd_python_program *p, uint64_t now)
{
	const unsigned *const at = p->layout->at;
	uint64_t interpreter, thread;
	unsigned threads = 0;

	if (f->sorted || !make_room(f) ||
		!follow(pid, p->runtime + at[SD_PYTHON_RUNTIME_INTERPRETERS], &interpreter))
		return;
	for (unsigned i = 0; i < INTERPRETERS && interpreter; i++) {
		if (!follow(pid, interpreter + at[SD_PYTHON_INTERPRETER_THREADS], &thread))
			return;
		while (thread && threads++ < THREADS)
			thread = look_at_thread(f, pid, p, thread, now);
		if (!follow(pid, interpreter + at[SD_PYTHON_INTERPRETER_NEXT], &interpreter))
			return;
	}
}

/* ---- looks ----------------------------------------------------------------------------------- */

/* ns of CPU time of this thread: a look that waits for a CPU costs nobody more. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Looks at all processes; how many were CPython's. */
static unsigned look_at_all(struct sd_python_frames *f, uint64_t now)
{
	const size_t named = f->n_code;
	uint64_t took = 0;
	unsigned any = 0;

	for (size_t i = 0; i < f->processes.n; i++) {
		struct sd_python_process *const p = &f->processes.process[i];
		uint64_t start;

		if (!sd_python_processes_is_found(&f->processes, p, now))
			continue;
		start = cpu_ns();
		sd_python_frames_look_at(f, p->pid, &p->program, now);
		took += cpu_ns() - start;
		any++;
	}
	if (f->n_code == named)
		f->cost = took;
	return any;
}

uint64_t sd_python_frames_look(struct sd_python_frames *f, uint64_t now)
{
	uint64_t pause;

	if (!f->processes.layouts.n || f->sorted)
		return UINT64_MAX;
	if (now < f->next)
		return f->next;
	f->began = f->began ? f->began : now;
	sd_python_processes_list(&f->processes, now, now - f->began);
	pause = look_at_all(f, now) ? LOOK_NS : SEARCH_NS;
	pause += (now - f->began) / LATER;
	f->next = now + (COST * f->cost > pause ? COST * f->cost : pause);
	return f->next;
}

/* ---- what was seen --------------------------------------------------------------------------- */

static int by_thread(const void *a, const void *b)
{
	const struct sd_python_seen *const x = a, *const y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* How far a time is from one at which it was seen so, ns. */
static uint64_t distance(const struct sd_python_seen *s, uint64_t time)
{
	return time < s->from ? s->from - time : time > s->to ? time - s->to : 0;
}

size_t sd_python_frames_find(
	struct sd_python_frames *f, int tid, uint64_t time, const struct sd_python_place **place)
{
	const struct sd_python_seen *best = NULL;
	size_t low = 0, high = f->n_seen;

	if (!f->n_seen)
		return 0;
	if (!f->sorted)
		qsort(f->seen, f->n_seen, sizeof *f->seen, by_thread);
	f->sorted = 1;
	while (low < high) { /* the first that was seen after that */
		const size_t middle = low + (high - low) / 2;
		const struct sd_python_seen *const s = &f->seen[middle];

		if (s->tid < tid || (s->tid == tid && s->from <= time))
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low ? low - 1 : 0; i <= low && i < f->n_seen; i++)
		if (f->seen[i].tid == tid &&
			(!best || distance(&f->seen[i], time) < distance(best, time)))
			best = &f->seen[i];
	if (!best || distance(best, time) > NEAR_NS)
		return 0;
	*place = f->place + best->at;
	return best->n;
}

int sd_python_frames_again(struct sd_python_frames *f, const char *root, int pid,
	const struct sd_running *running, const char *configs)
{
	int rc = f->processes.layouts.n
			 ? 0
			 : sd_python_layouts_load(&f->processes.layouts, configs, NULL);

	for (size_t i = 0; i < f->n_code; i++)
		sd_python_objects_free(&f->code[i]);
	if (f->by_address)
		memset(f->by_address, 0, 2 * CODES * sizeof *f->by_address);
	if (f->last)
		memset(f->last, 0, LAST * sizeof *f->last);
	f->processes.root = root;
	f->n_code = f->n_place = f->n_seen = f->processes.n = 0;
	f->began = f->next = f->processes.listed = f->cost = 0;
	f->sorted = 0;
	for (size_t i = 0; i < (running ? running->n : 1); i++)
		sd_python_processes_add(&f->processes, running ? running->pid[i] : pid, NULL);
	return rc;
}

void sd_python_frames_free(struct sd_python_frames *f)
{
	for (size_t i = 0; i < f->n_code; i++)
		sd_python_objects_free(&f->code[i]);
	free(f->code);
	free(f->by_address);
	free(f->place);
	free(f->seen);
	free(f->last);
	*f = (struct sd_python_frames){0};
}
