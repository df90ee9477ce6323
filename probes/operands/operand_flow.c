#include "operands/operand_flow.h"

#include <errno.h>
#include <string.h>

#define SYNC_BYTES 256 /* before an instruction, to find the boundaries that lead to it */
#define SYNC_TRIES 16

static void mark(struct sd_operand_flow *f, size_t at)
{
	f->begins[at / 8] |= (unsigned char)(1 << at % 8);
}

int sd_operand_flow_begins(const struct sd_operand_flow *f, size_t at)
{
	return at >= f->first && at < f->end && f->begins[at / 8] >> at % 8 & 1;
}

/* x86-64: ud2, hlt and int3 end what the compiler says is never reached. */
static int ends(enum sd_insn_decode_machine machine, const unsigned char *code, size_t length)
{
	return machine == SD_INSN_DECODE_X86_64
		       ? (length == 2 && code[0] == 0x0f && code[1] == 0x0b) ||
				 (length == 1 && (code[0] == 0xf4 || code[0] == 0xcc))
		       : 0;
}

/* x86-64: loop, loope, loopne and jrcxz, which the decoder has as others. */
static int counts_down(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t length)
{
	return machine == SD_INSN_DECODE_X86_64 && length >= 2 && code[length - 2] >= 0xe0 &&
	       code[length - 2] <= 0xe3 && (length == 2 || (length == 3 && code[0] == 0x67));
}

/* Notes the instruction at `at`; 0 when the table is full. */
static int note(struct sd_operand_flow *f, enum sd_insn_decode_machine machine,
	const unsigned char *code, size_t n, size_t at, const struct sd_insn_decode *i)
{
	const int down = counts_down(machine, code + at, i->length);
	const int stop = i->ret || i->indirect || ends(machine, code + at, i->length);
	const long to = (long)at + (down ? (long)i->length + (signed char)code[at + i->length - 1]
					 : i->target);
	const int jumps = down || i->kind == SD_INSN_DECODE_BRANCH;

	mark(f, at);
	f->indirect |= i->indirect;
	if (!jumps && !stop && !i->call)
		return 1;
	if (f->n == SD_OPERAND_FLOW_BRANCHES)
		return 0;
	f->branch[f->n++] = (struct sd_operand_branch){.at = (uint32_t)at,
		.end = (uint32_t)(at + i->length),
		.target = jumps && to >= 0 && to < (long)n ? (int32_t)to : -1,
		.always = stop || (!down && i->kind == SD_INSN_DECODE_BRANCH && i->always),
		.call = i->call,
		.unknown = i->indirect};
	return 1;
}

/* The boundary from which code decodes to `ip`, found from several offsets: where most ways that
 * come to ip have come together. */
static size_t synchronise(enum sd_insn_decode_machine machine, const unsigned char *code, size_t ip)
{
	const size_t low = ip > SYNC_BYTES ? ip - SYNC_BYTES : 0;
	unsigned char ways[SYNC_BYTES + SYNC_TRIES] = {0};
	unsigned arrived = 0;

	if (machine == SD_INSN_DECODE_AARCH64)
		return ip - (ip - low) / 4 * 4;
	for (size_t from = low; from < low + SYNC_TRIES && from < ip; from++) {
		unsigned char seen[SYNC_BYTES + SYNC_TRIES] = {0};
		size_t at = from;

		while (at < ip) {
			const size_t length = sd_insn_decode_at(machine, code + at, ip - at).length;

			seen[at - low] = 1;
			if (!length)
				break;
			at += length;
		}
		if (at != ip)
			continue;
		arrived++;
		for (size_t k = 0; k < ip - low; k++)
			ways[k] = (unsigned char)(ways[k] + seen[k]);
	}
	for (size_t k = 0; arrived > 1 && k < ip - low; k++)
		if (ways[k] == arrived)
			return low + k;
	return ip;
}

/* From `from` to the function's end: what always goes elsewhere, and no branch before it goes
 * behind it. Where a jump is indirect its targets may stand there. */
static void decode_from(struct sd_operand_flow *f, enum sd_insn_decode_machine machine,
	const unsigned char *code, size_t n, size_t from, size_t ip)
{
	size_t furthest = ip;

	f->first = f->end = (uint32_t)from;
	f->n = 0;
	f->indirect = 0;
	memset(f->begins, 0, sizeof f->begins);
	for (size_t at = from; at < n;) {
		const struct sd_insn_decode i = sd_insn_decode_at(machine, code + at, n - at);
		const struct sd_operand_branch *b;

		if (!i.length || !note(f, machine, code, n, at, &i))
			break;
		b = f->n && f->branch[f->n - 1].at == at ? &f->branch[f->n - 1] : NULL;
		at += i.length;
		f->end = (uint32_t)at;
		if (b && b->target >= 0 && (size_t)b->target > furthest)
			furthest = (size_t)b->target;
		if (b && b->always && furthest < at && !f->indirect)
			break;
	}
}

/* The first target of a branch back to before what was looked at: an instruction begins there, too.
 * `first` where there is none. */
static size_t target_before(const struct sd_operand_flow *f)
{
	size_t first = f->first;

	for (unsigned i = 0; i < f->n; i++)
		if (f->branch[i].target >= 0 && (size_t)f->branch[i].target < first)
			first = (size_t)f->branch[i].target;
	return first;
}

/* Without a function's start: from where ways to ip come together, or a branch goes back to. */
static void decode_around(struct sd_operand_flow *f, enum sd_insn_decode_machine machine,
	const unsigned char *code, size_t n, size_t ip)
{
	const size_t from = synchronise(machine, code, ip);
	size_t before;

	decode_from(f, machine, code, n, from, ip);
	before = target_before(f);
	if (before == f->first)
		return;
	decode_from(f, machine, code, n, before, ip);
	if (!sd_operand_flow_begins(f, ip))
		decode_from(f, machine, code, n, from, ip);
}

int sd_operand_flow_find(struct sd_operand_flow *f, enum sd_insn_decode_machine machine,
	const unsigned char *code, size_t n, long start, size_t ip)
{
	if (ip >= n || n > SD_OPERAND_FLOW_BYTES || machine == SD_INSN_DECODE_OTHER)
		return -ENOENT;
	f->certain = start >= 0 && (size_t)start <= ip;
	if (f->certain)
		decode_from(f, machine, code, n, (size_t)start, ip);
	if (!f->certain || !sd_operand_flow_begins(f, ip)) {
		f->certain = 0;
		decode_around(f, machine, code, n, ip);
	}
	return sd_operand_flow_begins(f, ip) ? 0 : -ENOENT;
}

const struct sd_operand_branch *sd_operand_flow_branch(const struct sd_operand_flow *f, size_t at)
{
	unsigned low = 0, high = f->n;

	while (low < high) {
		const unsigned middle = (low + high) / 2;

		if (f->branch[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->n && f->branch[low].at == at ? &f->branch[low] : NULL;
}

static int is_target(const struct sd_operand_flow *f, size_t at)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->branch[i].target == (int32_t)at)
			return 1;
	return 0;
}

static size_t previous_of(const struct sd_operand_flow *f, size_t at)
{
	while (at-- > f->first)
		if (sd_operand_flow_begins(f, at))
			return at;
	return (size_t)-1;
}

size_t sd_operand_flow_lead(const struct sd_operand_flow *f, size_t ip)
{
	size_t at = ip;

	while (!is_target(f, at)) {
		const size_t before = previous_of(f, at);
		const struct sd_operand_branch *b;

		if (before == (size_t)-1)
			break;
		b = sd_operand_flow_branch(f, before);
		if (b && (b->always || b->call))
			break;
		at = before;
	}
	return at;
}

/* Does a way within [head, end) lead from `from` to `to`? */
static int leads(const struct sd_operand_flow *f, size_t head, size_t end, size_t from, size_t to)
{
	size_t queue[64];
	unsigned n = 0, done = 0;

	queue[n++] = from;
	while (done < n) {
		size_t at = queue[done++];

		while (at >= head && at < end && sd_operand_flow_begins(f, at)) {
			const struct sd_operand_branch *b = NULL;

			/* on to the next branch */
			for (unsigned i = 0; i < f->n && !b; i++)
				if (f->branch[i].at >= at)
					b = &f->branch[i];
			if (at <= to && (!b || to <= b->at))
				return 1;
			if (!b)
				break;
			if (b->target >= 0) {
				unsigned k = 0;

				while (k < n && queue[k] != (size_t)b->target)
					k++;
				if (k == n && n < sizeof queue / sizeof *queue)
					queue[n++] = (size_t)b->target;
			}
			if (b->always)
				break;
			at = b->end;
		}
	}
	return 0;
}

int sd_operand_flow_loop(const struct sd_operand_flow *f, size_t ip, size_t *head, size_t *end)
{
	int found = 0;

	for (unsigned i = 0; i < f->n; i++) {
		const struct sd_operand_branch *const b = &f->branch[i];
		const size_t to = (size_t)b->target;

		if (b->target < 0 || to > ip || b->end <= ip || b->at < to)
			continue;
		/* of one head the longest: a `continue` is no loop of its own */
		if (found && (*head == to ? b->end <= *end : b->end - to >= *end - *head))
			continue;
		if (!leads(f, to, b->end, to, ip) || !leads(f, to, b->end, ip, b->at))
			continue;
		*head = to;
		*end = b->end;
		found = 1;
	}
	return found;
}
