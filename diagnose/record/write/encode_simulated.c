#include "write/encode_simulated.h"

#include "write/encode_samples.h"
#include "fields/fields.h"
#include "write/encode_field.h"

/* Every function here returns a new reference, or NULL without memory or for what is no number. */

/* Appends or sets what may be NULL; 0 or -1. */
static int append(json_t *array, json_t *value)
{
	return json_array_append_new(array, value) == 0 ? 0 : -1;
}

static int set(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new_nocheck(object, key, value) == 0 ? 0 : -1;
}

static json_t *or_nothing(json_t *value, int bad)
{
	if (!bad)
		return value;
	json_decref(value);
	return NULL;
}

/* n structs of `size` bytes, each as its table says. */
static json_t *put_all(const struct sd_fields *fields, const void *first, size_t n, size_t size)
{
	json_t *out = json_array();
	int bad = !out;

	for (size_t i = 0; !bad && i < n; i++)
		bad = append(out, sd_encode_struct(fields, (const char *)first + i * size));
	return or_nothing(out, bad);
}

/* Up to the last that is not 0. */
static json_t *put_distances(const struct sd_sim_thread *t)
{
	json_t *out = json_array();
	size_t n = SD_SIM_DISTANCES;
	int bad = !out;

	while (n > 0 && t->distance[n - 1] == 0)
		n--;
	for (size_t i = 0; !bad && i < n; i++)
		bad = append(out, json_real(t->distance[i]));
	return or_nothing(out, bad);
}

static json_t *put_threads(const struct sd_simulated *s)
{
	json_t *out = json_array();
	int bad = !out;

	for (size_t i = 0; !bad && i < s->n_thread; i++) {
		json_t *t = sd_encode_struct(&sd_fields_sim_thread, &s->thread[i]);

		bad = !t || set(t, "distances", put_distances(&s->thread[i]));
		bad = append(out, or_nothing(t, bad));
	}
	return or_nothing(out, bad);
}

/* One contested line: its fields and who and what touched it. */
static json_t *put_line(const struct sd_sim_contested *c)
{
	json_t *const line = sd_encode_struct(&sd_fields_sim_line, c);
	const int bad = !line ||
			set(line, "sharers",
				put_all(&sd_fields_sim_sharer, c->sharer, c->n_sharer,
					sizeof *c->sharer)) ||
			set(line, "codes",
				put_all(&sd_fields_sim_code, c->code, c->n_code, sizeof *c->code));

	return or_nothing(line, bad);
}

static json_t *put_lines(const struct sd_simulated *s)
{
	json_t *out = json_array();
	int bad = !out;

	for (size_t i = 0; !bad && i < s->n_contested; i++)
		bad = append(out, put_line(&s->contested[i]));
	return or_nothing(out, bad);
}

static json_t *put_conflicts(const struct sd_simulated *s)
{
	json_t *out = json_array();
	int bad = !out;

	for (size_t i = 0; !bad && i < s->n_conflict; i++) {
		json_t *c = sd_encode_struct(&sd_fields_sim_conflict, &s->conflict[i]);

		bad = !c || set(c, "stride", json_integer(s->conflict[i].stride));
		bad = append(out, or_nothing(c, bad));
	}
	return or_nothing(out, bad);
}

json_t *sd_encode_simulated(const struct sd_simulated *s)
{
	json_t *out = sd_encode_struct(&sd_fields_simulated, s);
	const int bad =
		!out || set(out, "machine", sd_encode_struct(&sd_fields_machine, &s->machine)) ||
		set(out, "threads", put_threads(s)) || set(out, "lines", put_lines(s)) ||
		set(out, "loops",
			put_all(&sd_fields_sim_loop, s->loop, s->n_loop, sizeof *s->loop)) ||
		set(out, "blocks",
			put_all(&sd_fields_sim_block, s->block, s->n_block, sizeof *s->block)) ||
		set(out, "races",
			put_all(&sd_fields_sim_race, s->race, s->n_race, sizeof *s->race)) ||
		set(out, "conflicts", put_conflicts(s));

	return or_nothing(out, bad);
}

json_t *sd_encode_simulation(const struct sd_plan_simulation *s)
{
	json_t *out = sd_encode_struct(&sd_fields_simulation, s);

	return or_nothing(out,
		!out || set(out, "machine", sd_encode_struct(&sd_fields_machine, &s->machine)) ||
			(s->tried && set(out, "tried", json_true())));
}

static json_t *put_sampled_lines(const struct sd_memory_sampled *m)
{
	json_t *out = json_array();
	int bad = !out;

	for (size_t i = 0; !bad && i < m->n_contested; i++) {
		json_t *const line = put_line(&m->contested[i].line);

		bad = !line ||
		      set(line, "moves", sd_encode_struct(&sd_fields_mem_moves, &m->contested[i]));
		bad = append(out, or_nothing(line, bad));
	}
	return or_nothing(out, bad);
}

json_t *sd_encode_memory(const struct sd_memory_sampled *m)
{
	json_t *out = sd_encode_struct(&sd_fields_memory, m);

	return or_nothing(out, !out ||
				       set(out, "threads",
					       put_all(&sd_fields_mem_thread, m->thread,
						       m->n_thread, sizeof *m->thread)) ||
				       set(out, "lines", put_sampled_lines(m)));
}
