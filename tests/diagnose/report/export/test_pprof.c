/*
 * The profile of pprof: every number in it names something that is there, and each of its values
 * sums to what was measured at that core count.
 */
#include <math.h>
#include <stdio.h>

#include "diagnose/report/export/viewer_world.h"

#define MOST 256

/* The profile as a reader of profile.proto has it: fields by number, strings by place. */
struct read {
	struct {
		const unsigned char *at;
		size_t n;
	} string[MOST];
	size_t n_string;
	uint64_t type[MOST], first_type;
	size_t n_type;
	double sum[MOST]; /* ns, by value */
	uint64_t place[MOST], function[MOST], name[MOST];
	size_t n_place, n_function;
	uint64_t leaf[MOST]; /* of each sample */
	size_t n_sample;
};

struct bytes {
	const unsigned char *at, *end;
};

static uint64_t varint(struct bytes *b)
{
	uint64_t v = 0;

	for (int shift = 0;; shift += 7) {
		assert_true(b->at < b->end && shift < 64);
		v |= (uint64_t)(*b->at & 127) << shift;
		if (!(*b->at++ & 128))
			return v;
	}
}

/* The next field: its number, and its value or what lies in it. */
static unsigned field(struct bytes *b, uint64_t *value, struct bytes *in)
{
	const uint64_t key = varint(b);

	*value = varint(b);
	*in = (struct bytes){b->at, b->at};
	if ((key & 7) == 2) {
		assert_true(*value <= (uint64_t)(b->end - b->at));
		in->end = b->at += *value;
	} else {
		assert_int_equal(key & 7, 0);
	}
	return (unsigned)(key >> 3);
}

/* The value of a field of a message that has it once. */
static uint64_t one(struct bytes b, unsigned which)
{
	uint64_t v, found = 0;
	struct bytes in;

	while (b.at < b.end)
		if (field(&b, &v, &in) == which)
			found = v;
	return found;
}

static void read_sample(struct read *p, struct bytes b)
{
	size_t values = 0, places = 0;
	struct bytes in;
	uint64_t v;

	assert_true(p->n_sample < MOST);
	while (b.at < b.end)
		switch (field(&b, &v, &in)) {
		case 1:
			if (places++ == 0)
				p->leaf[p->n_sample] = v;
			break;
		case 2:
			p->sum[values++] += (double)v;
			break;
		default:
			fail();
		}
	assert_true(places > 0);
	assert_int_equal(values, p->n_type);
	p->n_sample++;
}

static void read_place(struct read *p, struct bytes b)
{
	struct bytes all = b, in;
	uint64_t v;

	p->place[p->n_place] = one(all, 1);
	while (b.at < b.end)
		if (field(&b, &v, &in) == 4)
			p->function[p->n_place] = one(in, 1);
	p->n_place++;
}

static void read_profile(struct read *p, const char *text, size_t n)
{
	struct bytes b = {(const unsigned char *)text, (const unsigned char *)text + n}, in;
	uint64_t v;

	*p = (struct read){.n_string = 0};
	while (b.at < b.end)
		switch (field(&b, &v, &in)) {
		case 1:
			p->type[p->n_type++] = one(in, 1);
			break;
		case 2:
			read_sample(p, in);
			break;
		case 4:
			read_place(p, in);
			break;
		case 5:
			assert_int_equal(one(in, 1), p->n_function + 1);
			p->name[p->n_function++] = one(in, 2);
			break;
		case 6:
			p->string[p->n_string].at = in.at;
			p->string[p->n_string++].n = (size_t)(in.end - in.at);
			break;
		case 14:
			p->first_type = v;
			break;
		default:
			break;
		}
}

static int is_string(const struct read *p, uint64_t i, const char *text)
{
	assert_true(i < p->n_string);
	return p->string[i].n == strlen(text) && memcmp(p->string[i].at, text, strlen(text)) == 0;
}

/* The name of the function in which a sample was. */
static uint64_t name_of(const struct read *p, size_t sample)
{
	for (size_t i = 0; i < p->n_place; i++)
		if (p->place[i] == p->leaf[sample]) {
			assert_in_range(p->function[i], 1, p->n_function);
			return p->name[p->function[i] - 1];
		}
	fail_msg("a sample is at a place that is not there");
	return 0;
}

static void make_pprof(struct world *w, struct read *p, char **text)
{
	size_t n = 0;
	FILE *const f = open_memstream(text, &n);

	assert_non_null(f);
	assert_int_equal(sd_viewers_pprof(f, &w->r, &w->a, &w->style), 0);
	fclose(f);
	read_profile(p, *text, n);
}

static void values_sum_to_what_was_measured_at_each_count(void **state)
{
	static const char *const type[] = {
		"cpu_1_core", "waiting_1_core", "cpu_2_cores", "waiting_2_cores"};
	struct world w;
	struct read p;
	char *text;

	(void)state;
	make(&w);
	make_pprof(&w, &p, &text);
	assert_true(is_string(&p, 0, ""));
	assert_int_equal(p.n_type, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(is_string(&p, p.type[i], type[i]));
	assert_int_equal(p.first_type, p.type[2]);
	/* 1.5 + .5 + .25 + .125 s ran, .75 waited */
	assert_true(fabs(p.sum[2] - 2.375e9) < 1);
	assert_true(fabs(p.sum[3] - .75e9) < 1);
	free(text);
	drop(&w);
}

static void each_sample_is_in_a_function_that_has_a_clean_name(void **state)
{
	size_t work = 0, waiting = 0, unknown = 0;
	struct world w;
	struct read p;
	char *text;

	(void)state;
	make(&w);
	make_pprof(&w, &p, &text);
	assert_int_equal(p.n_sample, w.point[0].n + w.point[1].n);
	for (size_t i = 0; i < p.n_sample; i++) {
		const uint64_t name = name_of(&p, i);

		work += (size_t)is_string(&p, name, "ns::work<…>()");
		waiting += (size_t)is_string(&p, name, "[waiting for a mutex]");
		unknown += (size_t)is_string(&p, name, "[unknown]");
	}
	assert_int_equal(work, 2);
	assert_int_equal(waiting, 2);
	assert_int_equal(unknown, 2);
	for (size_t i = 0; i < p.n_string; i++)
		assert_null(memchr(p.string[i].at, '\033', p.string[i].n));
	free(text);
	drop(&w);
}

/* As a damaged record may have them. */
static void nodes_that_do_not_exist_are_unknown(void **state)
{
	struct world w;
	struct read p;
	char *text;

	(void)state;
	make(&w);
	w.row[1][1].node = 1u << 30;
	make_pprof(&w, &p, &text);
	assert_true(is_string(&p, name_of(&p, w.point[0].n + 1), "[unknown]"));
	assert_true(fabs(p.sum[2] - 2.375e9) < 1);
	free(text);
	drop(&w);
}

static void a_record_without_samples_is_an_empty_profile(void **state)
{
	struct world w;
	struct read p;
	char *text;

	(void)state;
	make(&w);
	w.style.stacks = NULL;
	make_pprof(&w, &p, &text);
	assert_int_equal(p.n_sample, 0);
	assert_int_equal(p.n_type, 0);
	free(text);
	drop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_sum_to_what_was_measured_at_each_count),
		cmocka_unit_test(each_sample_is_in_a_function_that_has_a_clean_name),
		cmocka_unit_test(nodes_that_do_not_exist_are_unknown),
		cmocka_unit_test(a_record_without_samples_is_an_empty_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
