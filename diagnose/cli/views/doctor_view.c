#include "views/doctor_view.h"

#include <string.h>

#include "page/page.h"
#include "render/json_values.h"
#include "views/doctor_causes.h"
#include "views/doctor_mends.h"

static const char *const ready_name[SD_READY_COUNT] = {
#define X(id, name, label) [SD_READY_##id] = (name),
	SD_READINESS(X)
#undef X
};

static const char *const reach_name[] = {"no", "likely", "confirmed"};

/* ---- text ---- */

#define LABEL 27 /* columns */

static void put_answer(struct sd_page *p, const struct sd_doctor *d)
{
	sd_page_wrap_tone(p, sd_doctor_counts(d) ? SD_TONE_GOOD : SD_TONE_DOUBT, "", 2, "%s",
		sd_doctor_answer(d));
}

static void put_facts(struct sd_page *p, const struct sd_doctor *d)
{
	sd_page_put(p, SD_TONE_BOLD, "\nWhat can be measured\n");
	for (int i = 0; i < SD_FACT_COUNT; i++) {
		const struct sd_fact *f = &d->fact[i];
		char head[64];

		snprintf(head, sizeof head, "  %-*s", LABEL, sd_fact_label[i]);
		sd_page_wrap_tone(p, f->status == SD_STATUS_OK ? SD_TONE_PLAIN : SD_TONE_DOUBT,
			head, LABEL + 2, "%s", f->found);
		snprintf(head, sizeof head, "%*senable: ", LABEL + 2, "");
		if (*f->enable)
			sd_page_wrap(p, head, LABEL + 4, "%s", f->enable);
	}
}

/* Puts all that a run would complain of, at once. */
static void put_readiness(struct sd_page *p, const struct sd_readiness *ready)
{
	sd_page_put(p, SD_TONE_BOLD, "\nWhat a run would miss\n");
	for (int i = 0; i < SD_READY_COUNT; i++) {
		const struct sd_ready *const f = &ready->ready[i];
		const char *const word = f->status == SD_STATUS_OK ? "ok" : *f->fix ? "fix" : "-";
		char head[64];

		snprintf(head, sizeof head, "  %-*s%-5s", LABEL, sd_doctor_ready_label[i], word);
		sd_page_wrap_tone(p, *f->fix ? SD_TONE_DOUBT : SD_TONE_PLAIN, head, LABEL + 7,
			"%s%s%s", f->found, *f->fix ? ": " : "", f->fix);
	}
}

static void put_causes(
	struct sd_page *p, const struct sd_doctor *d, const struct sd_readiness *ready)
{
	struct sd_doctor_judged j;
	size_t n = 0;

	for (int i = 0; i < SD_ROLE_COUNT; i++)
		n += sd_has(d->role[i].value);
	sd_page_put(p, SD_TONE_BOLD,
		"\nWhat can be found out of each cause: an experiment confirms it, evidence makes it likely\n");
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		char head[64];

		sd_doctor_judge(d, ready, i, &j);
		snprintf(head, sizeof head, "  %-*s", LABEL, sd_cause_info[i].label);
		sd_page_wrap_tone(p, j.reach == SD_REACH_NO ? SD_TONE_DOUBT : SD_TONE_PLAIN, head,
			LABEL + 2, "%s%s%s%s%s", sd_doctor_reach[j.reach], *j.by ? " by " : "",
			j.by, *j.change ? "; " : "", j.change);
	}
	if (!*d->family)
		return;
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	sd_page_wrap(p, "", 0,
		"%zu kinds of events can be counted, map %s: `scalediag events` shows them.", n,
		d->family);
}

/* ---- the first screen ---- */

#define SHOWN 5 /* things to mend behind the first */

static void put_mends(
	struct sd_page *p, const struct sd_doctor *d, const struct sd_readiness *ready)
{
	struct sd_doctor_mend m[SD_DOCTOR_MENDS];
	const size_t n = sd_doctor_mends(d, ready, m);
	char head[64];

	if (n == 0)
		sd_page_wrap_tone(p, SD_TONE_GOOD, "\n", 0, "Nothing is missing here.");
	for (size_t i = 0; i < n && i <= SHOWN; i++) {
		if (i == 0) {
			sd_page_wrap_tone(p, SD_TONE_BOLD, "\nMend first: ", 2, "%s", m[i].fix);
			sd_page_wrap(p, "  for ", 4, "%s", m[i].gives);
			continue;
		}
		if (i == 1)
			sd_page_put(p, SD_TONE_PLAIN, "\nThen\n");
		snprintf(head, sizeof head, "  %-*s", LABEL, m[i].label);
		sd_page_wrap(p, head, LABEL + 2, "%s", m[i].fix);
	}
}

static void put_reaches(
	struct sd_page *p, const struct sd_doctor *d, const struct sd_readiness *ready)
{
	static const char *const head[] = {[SD_REACH_CONFIRMED] = "\nConfirmed by an experiment: ",
		[SD_REACH_LIKELY] = "Likely at most: ",
		[SD_REACH_NO] = "Not found here: "};

	for (int reach = SD_REACH_CONFIRMED; reach >= SD_REACH_NO; reach--) {
		char names[640] = "";
		struct sd_doctor_judged j;

		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const size_t used = strlen(names);

			sd_doctor_judge(d, ready, i, &j);
			if ((int)j.reach == reach)
				snprintf(names + used, sizeof names - used, "%s%s",
					used ? ", " : "", sd_cause_info[i].label);
		}
		if (*names)
			sd_page_wrap(p, head[reach], 2, "%s", names);
	}
}

int sd_doctor_brief(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready,
	const struct sd_report_style *style)
{
	struct sd_page page;

	sd_page_begin(&page, f, style);
	put_answer(&page, d);
	put_mends(&page, d, ready);
	put_reaches(&page, d, ready);
	sd_page_wrap(&page, "\n", 0, "Each cause and fact: scalediag doctor --long");
	return sd_page_end(&page);
}

int sd_doctor_text(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready,
	const struct sd_report_style *style)
{
	struct sd_page page;

	sd_page_begin(&page, f, style);
	put_answer(&page, d);
	put_readiness(&page, ready);
	put_causes(&page, d, ready);
	put_facts(&page, d);
	return sd_page_end(&page);
}

/* ---- JSON ---- */

static json_t *put_fact(enum sd_status status, const char *found, const char *enable)
{
	json_t *out = sd_json("status", sd_status_name(status), "found", found);

	if (*enable)
		sd_json_set(&out, "enable", json_string(enable));
	return out;
}

static json_t *cause_object(const struct sd_doctor *d, const struct sd_readiness *ready, int cause)
{
	const struct sd_doctor_need *n = sd_doctor_need(cause);
	json_t *events = json_array(), *facts = json_array(), *experiments = json_array();
	struct sd_doctor_judged j;

	sd_doctor_judge(d, ready, cause, &j);
	for (unsigned i = 0; i < n->n_role; i++) {
		const struct sd_role_count *c = &d->role[n->role[i]];

		sd_json_add(&events,
			sd_json("role", sd_role_name(n->role[i]), "status",
				sd_status_name(c->value.status), "exact",
				json_boolean(c->quality == SD_QUALITY_EXACT && sd_has(c->value))));
	}
	for (unsigned i = 0; i < n->n_fact; i++)
		sd_json_add(&facts, sd_json("fact", sd_fact_name[n->fact[i]], "status",
					    sd_status_name(d->fact[n->fact[i]].status)));
	for (int e = 0; e < SD_EXPERIMENT_COUNT; e++)
		if (sd_doctor_confirms(e, cause))
			sd_json_add(&experiments, sd_json("experiment", sd_experiment_info[e].name,
							  "lacks", ready->lacks[e]));
	return sd_json("cause", sd_cause_info[cause].name, "reach", reach_name[j.reach], "change",
		j.change, "events", events, "facts", facts, "experiments", experiments);
}

int sd_doctor_json(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready)
{
	json_t *facts = json_object(), *causes = json_array(), *lists = json_object();

	for (int i = 0; i < SD_FACT_COUNT; i++)
		sd_json_set(&facts, sd_fact_name[i],
			put_fact(d->fact[i].status, d->fact[i].found, d->fact[i].enable));
	for (int i = 0; i < SD_READY_COUNT; i++)
		sd_json_set(&lists, ready_name[i],
			put_fact(ready->ready[i].status, ready->ready[i].found,
				ready->ready[i].fix));
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		sd_json_add(&causes, cause_object(d, ready, i));
	return sd_json_print(f, sd_json("schema", 1, "map", sd_json_name(d->family), "facts", facts,
					"readiness", lists, "causes", causes));
}
