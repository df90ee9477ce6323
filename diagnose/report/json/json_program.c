#include "json/json_program.h"

#include "render/json_values.h"

json_t *sd_json_program(const struct sd_program *p)
{
	static const char *const placement[] = {
		[SD_PLACEMENT_COMPACT] = "compact",
		[SD_PLACEMENT_SPREAD] = "spread",
		[SD_PLACEMENT_SMT] = "smt",
	};

	return json_pack("{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o}", "argv",
		sd_json_texts(&p->argv), "attached", sd_json_text(p->attached), "cwd",
		sd_json_text(p->cwd), "scaling", p->scaling == SD_SCALING_WEAK ? "weak" : "strong",
		"placement", placement[p->placement], "rate", sd_json_text(p->rate), "latency",
		sd_json_text(p->latency), "latency_before_s", sd_json_value(p->latency_before),
		"latency_after_s", sd_json_value(p->latency_after));
}
