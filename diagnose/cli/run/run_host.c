#include "run/run_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/host_facts.h"
#include "run/node_ceilings.h"
#include "simulate/machine_model.h"

static enum sd_exit modelled_topology(const struct sd_cli *cli, const struct sd_options *o,
	struct sd_sim_machine *machine, struct sd_modelled_machine *model, struct sd_topology *t)
{
	struct sd_topology_source source = {0};
	unsigned socket, sharers;
	char text[160];

	if (sd_machine_find_whole(o->machine, machine, model, cli->sink) < 0)
		return SD_EXIT_USAGE;
	socket = model->cores / model->sockets;
	sharers = machine->llc.sharers && machine->llc.sharers < socket ? machine->llc.sharers
									: socket;
	snprintf(text, sizeof text, "package:%u l3:%u core:%u pu:1", model->sockets,
		(socket + sharers - 1) / sharers, sharers);
	source.synthetic = text;
	if (sd_topology_load(t, &source, cli->sink) < 0)
		return SD_EXIT_MEASURE;
	t->llc_bytes = SD_OK((double)machine->llc.bytes);
	return SD_EXIT_DONE;
}

static struct sd_value seconds(unsigned cycles, double hz)
{
	return SD_OK(cycles / hz);
}

static int describe_model(struct sd_record *record, const struct sd_topology *t,
	const struct sd_sim_machine *machine, const struct sd_modelled_machine *model)
{
	const struct sd_sim_costs *const k = &model->costs;
	struct sd_calibration *const c = &record->calibration;
	struct sd_host *const h = &record->host;
	int rc = 0;

	*h = (struct sd_host){.online = model->cores,
		.allowed = model->cores,
		.granted = model->cores,
		.cores = t->n_core,
		.packages = t->n_package,
		.numa = t->n_numa,
		.llc = t->n_llc,
		.tsc_hz = SD_OK(k->hz),
		.llc_bytes = SD_OK((double)machine->llc.bytes),
		.pmu = SD_STATUS_OK,
		.perf_paranoid = -100};
	snprintf(h->name, sizeof h->name, "modelled %.60s", machine->name);
	snprintf(h->cpu, sizeof h->cpu, "%.100s, modelled", model->title);
	snprintf(h->kernel, sizeof h->kernel, "none: the program alone is modelled");
	if (machine->l2.bytes)
		c->l2 = seconds(k->l2, k->hz);
	c->llc = seconds(k->llc, k->hz);
	c->dram = seconds(k->memory, k->hz);
	/* a modified line comes from beyond the LLC, where there are several */
	c->line = seconds(t->n_llc > 1 ? model->far : k->transfer, k->hz);
	c->walk = seconds(k->walk, k->hz);
	c->statement = strdup("the costs that its model charges");
	if (!c->statement)
		return -ENOMEM;
	for (size_t i = 0; !rc && model->bus && i < record->plan.n_point; i++)
		rc = sd_calibration_add(
			c, record->plan.point[i].cores, machine->line * k->hz * 100 / model->bus);
	record->plan.simulation->machine = *machine;
	record->plan.simulation->costs = *k;
	if (rc)
		return rc;
	return sd_texts_add(&record->warnings,
		"every time and count is one of a modelled machine (%s), not of this one",
		machine->name);
}

enum sd_exit sd_run_host_open(const struct sd_cli *cli, struct sd_options *o,
	struct sd_run_host *host, struct sd_topology *t)
{
	const struct sd_topology_source here = {0};

	if (o->events != SD_EVENTS_MODEL)
		return sd_topology_load(t, &here, cli->sink) < 0 ? SD_EXIT_MEASURE : SD_EXIT_DONE;
	o->experiments = SD_EXPERIMENTS_NONE;
	return modelled_topology(cli, o, &host->machine, &host->model, t);
}

int sd_run_host_describe(struct sd_record *record, const struct sd_topology *t,
	const struct sd_run_host *host, const struct sd_sink *sink)
{
	if (host->model.cores)
		return describe_model(record, t, &host->machine, &host->model);
	sd_host_facts_read(&record->host, t, NULL);
	sd_node_facts_read(&record->host.setup, NULL);
	return sd_node_ceilings_take(record, t, sink);
}
