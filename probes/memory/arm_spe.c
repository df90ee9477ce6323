#include "memory/arm_spe.h"

#include <string.h>

/* Headers. Bits 5:4 of a header with a payload are the payload's size: 1, 2, 4 or 8 bytes. */
#define END 0x01
#define TIMESTAMP 0x71
#define EVENTS 0x42 /* bits 7:6 and 3:0 */
#define SOURCE 0x43
#define SMALL 0xcf
#define CONTEXT 0x64 /* bits 7:2 */
#define OPERATION 0x48
#define EXTENDED 0x20
#define MIDDLE 0xfc
#define ADDRESS 0xb0 /* bits 7:3, of the second byte when the first is EXTENDED */
#define COUNTER 0x98
#define LARGE 0xf8

/* Indices. */
#define ADDRESS_PC 0
#define ADDRESS_DATA 2
#define COUNTER_TOTAL 0
#define CLASS_MEMORY 1 /* of an operation */

/* Bits of a memory operation's payload. */
#define STORE 0x01
#define ATOMIC_KIND 0xe2 /* these bits are ATOMIC: one with an order, exclusive, or atomic */
#define ATOMIC 0x02
#define ORDERED 0x1c /* acquire or release, exclusive, atomic */

#define BYTES_0_6 ((UINT64_C(1) << 56) - 1)

struct packet {
	unsigned head;  /* of the byte that says what it is, without its low bits */
	unsigned index; /* of an address, a counter; class of an operation */
	uint64_t payload;
};

/* A record being put together. */
struct record {
	struct sd_arm_spe_access access;
	int memory, user;
};

static unsigned what(unsigned byte)
{
	if (byte == END || byte == TIMESTAMP)
		return byte;
	if ((byte & SMALL) == EVENTS || (byte & SMALL) == SOURCE)
		return byte & SMALL;
	if ((byte & MIDDLE) == CONTEXT || (byte & MIDDLE) == OPERATION)
		return byte & MIDDLE;
	if ((byte & LARGE) == ADDRESS || (byte & LARGE) == COUNTER)
		return byte & LARGE;
	return 0;
}

static uint64_t payload_of(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* Its bytes; 0: none that is known or whole. Padding is a packet whose head is 0. */
static size_t packet(const unsigned char *p, size_t n, struct packet *out)
{
	const size_t head = n > 1 && (p[0] & MIDDLE) == EXTENDED ? 2 : 1;
	const unsigned byte = p[head - 1];
	size_t size;

	*out = (struct packet){0};
	if (p[0] == 0)
		return 1;
	if (head == 2 && byte == 0) { /* up to an alignment: zeroes, which are padding */
		return 2;
	}
	out->head = what(byte);
	if (!out->head || (head == 2 && out->head != ADDRESS && out->head != COUNTER))
		return 0;
	if (out->head == END)
		return 1;
	size = (size_t)1 << (byte >> 4 & 3);
	if (n < head + size)
		return 0;
	if (out->head == OPERATION)
		out->index = byte & 3;
	else
		out->index = (byte & 7) | (head == 2 ? (p[0] & 3u) << 3 : 0);
	out->payload = payload_of(p + head, size);
	return head + size;
}

static void take(struct record *r, const struct packet *p)
{
	struct sd_arm_spe_access *const a = &r->access;

	switch (p->head) {
	case ADDRESS:
		if (p->index == ADDRESS_PC) {
			a->ip = p->payload & BYTES_0_6;
			r->user = (p->payload >> 61 & 3) == 0; /* the exception level */
		} else if (p->index == ADDRESS_DATA) {
			a->address = p->payload & BYTES_0_6; /* without its tag */
		}
		break;
	case COUNTER:
		if (p->index == COUNTER_TOTAL)
			a->cycles = (unsigned)(p->payload & 0xffff);
		break;
	case OPERATION:
		r->memory = p->index == CLASS_MEMORY;
		a->store = r->memory && (p->payload & STORE);
		a->locked =
			r->memory && (p->payload & ATOMIC_KIND) == ATOMIC && (p->payload & ORDERED);
		break;
	case SOURCE:
		a->source = p->payload;
		a->has_source = 1;
		break;
	case TIMESTAMP:
		a->time = p->payload;
		break;
	default:
		break;
	}
}

int sd_arm_spe_next(struct sd_arm_spe *s, struct sd_arm_spe_access *out)
{
	struct record r = {.user = 0};

	while (s->p < s->end) {
		struct packet p;
		const size_t n = packet(s->p, (size_t)(s->end - s->p), &p);

		if (!n) { /* and what was read of its record is worth nothing */
			s->bad++;
			s->p++;
			r = (struct record){.user = 0};
			continue;
		}
		s->p += n;
		take(&r, &p);
		if (p.head != END && p.head != TIMESTAMP)
			continue;
		if (r.memory && r.user) {
			*out = r.access;
			return 1;
		}
		r = (struct record){.user = 0};
	}
	return 0;
}
