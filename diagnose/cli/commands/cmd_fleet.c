#include "commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/fleet_calibrate.h"
#include "fleet/fleet_line.h"
#include "fleet/fleet_options.h"
#include "fleet/fleet_report.h"
#include "fleet/fleet_source.h"
#include "help/command_help.h"
#include "output/output_file.h"
#include "run/print_report.h"
#include "run/record_path.h"
#include "store/fleet_store.h"
#include "terminal/terminal_style.h"

#define TOLERANCE 0.05
#define TOLERANCE_OF_CHANGES 0.01

static enum sd_exit printed(const struct sd_cli *cli, int rc, enum sd_exit status)
{
	if (rc == -ENOMEM)
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
	return rc == -ENOMEM                              ? SD_EXIT_MEASURE
	       : sd_print_report_end(cli) == SD_EXIT_DONE ? status
							  : SD_EXIT_MEASURE;
}

/* ---- report, check --------------------------------------------------------------------------- */

struct page {
	const struct sd_fleet *fleet;
	const struct sd_fleet_findings *findings;
};

static int put_page(FILE *f, const void *data)
{
	const struct page *const p = data;

	return sd_fleet_html(f, p->fleet, p->findings);
}

static enum sd_exit report(const struct sd_cli *cli, const struct sd_fleet_options *a,
	const struct sd_fleet *fleet, const struct sd_fleet_findings *f)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	const struct page page = {fleet, f};

	if (a->html)
		return sd_output_file_write(a->html, SD_OUTPUT_PAGE, put_page, &page, cli->sink) ==
				       0
			       ? SD_EXIT_DONE
			       : SD_EXIT_MEASURE;
	return printed(cli,
		a->open_metrics ? sd_fleet_open_metrics(stdout, fleet, f)
				: sd_fleet_text(stdout, fleet, f, &style),
		SD_EXIT_DONE);
}

/* Exit status for one node, by whether it was judged and whether it is out. */
static enum sd_exit status_of_node(const struct sd_cli *cli, const char *host,
	const struct sd_fleet *fleet, const struct sd_fleet_findings *f)
{
	const struct sd_fleet_node *const node = sd_fleet_find(fleet, host);
	char why[700];

	if (!node) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: has no calibration here", host);
		return SD_EXIT_MEASURE;
	}
	if (!f->judged[node - fleet->node]) {
		sd_fleet_alone(fleet, f, (size_t)(node - fleet->node), why, sizeof why);
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: cannot be judged: %s", host, why);
		return SD_EXIT_MEASURE;
	}
	for (size_t i = 0; i < f->n; i++)
		if (&fleet->node[f->finding[i].node] == node)
			return SD_EXIT_CHECK;
	return SD_EXIT_DONE;
}

static enum sd_exit check(const struct sd_cli *cli, const struct sd_fleet_options *a,
	const struct sd_fleet *fleet, const struct sd_fleet_findings *f)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	const enum sd_exit status = a->node        ? status_of_node(cli, a->node, fleet, f)
				    : !f->n_judged ? SD_EXIT_MEASURE
				    : f->n         ? SD_EXIT_CHECK
						   : SD_EXIT_DONE;

	if (a->node && status == SD_EXIT_MEASURE)
		return status;
	return printed(cli,
		a->open_metrics ? sd_fleet_open_metrics(stdout, fleet, f)
				: sd_fleet_findings_text(stdout, fleet, f, a->node, &style),
		status);
}

static enum sd_exit judge(const struct sd_cli *cli, const struct sd_fleet_options *a)
{
	const char *const from = a->n_operand ? a->operand[0] : a->store;
	const struct sd_output_wish page = {.path = a->html, .kind = SD_OUTPUT_PAGE};
	struct sd_fleet fleet = {.n = 0};
	struct sd_fleet_findings f = {.n = 0};
	enum sd_exit status = sd_record_path_check(&page, 1, NULL, 0, cli->sink);

	if (status != SD_EXIT_DONE)
		return status;
	status = SD_EXIT_MEASURE;
	if (sd_fleet_source_read(cli, from, &fleet) != 0)
		goto out;
	if (sd_fleet_judge(&fleet, a->tolerance < 0 ? TOLERANCE : a->tolerance, &f) != 0)
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
	else
		status = a->action == SD_FLEET_CHECK ? check(cli, a, &fleet, &f)
						     : report(cli, a, &fleet, &f);
out:
	sd_fleet_findings_free(&f);
	sd_fleet_free(&fleet);
	return status;
}

/* ---- compare --------------------------------------------------------------------------------- */

static enum sd_exit compare(const struct sd_cli *cli, const struct sd_fleet_options *a)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	struct sd_fleet before = {.n = 0}, after = {.n = 0};
	struct sd_fleet_changes c = {.n = 0};
	enum sd_exit status = SD_EXIT_DONE;
	int rc = sd_fleet_source_select(cli, a->store, a->operand[0], &before);

	rc = rc ? rc : sd_fleet_source_select(cli, a->store, a->operand[1], &after);
	if (rc == 0) {
		rc = sd_fleet_changes_find(&before, &after,
			a->tolerance < 0 ? TOLERANCE_OF_CHANGES : a->tolerance, &c);
		rc = rc ? rc : sd_fleet_changes_text(stdout, &c, &style);
		for (size_t i = 0; i < c.n; i++)
			if (c.change[i].changed)
				status = SD_EXIT_CHECK;
		status = printed(cli, rc, c.n ? status : SD_EXIT_MEASURE);
		if (!c.n && rc == 0)
			sd_say(cli->sink, SD_LEVEL_ERROR,
				"fewer than %d nodes that are alike have both: nothing can be "
				"compared",
				SD_FLEET_LEAST_NODES);
	} else {
		status = SD_EXIT_MEASURE;
	}
	sd_fleet_changes_free(&c);
	sd_fleet_free(&before);
	sd_fleet_free(&after);
	return status;
}

/* ---- history, import, export ----------------------------------------------------------------- */

/* A copy, as the store's node is for the call only. */
static int copy_node(void *fleet, const struct sd_fleet_node *node)
{
	struct sd_fleet_node copy = *node;
	struct sd_node_facts *const facts = malloc(sizeof *facts);

	copy.facts = facts;
	copy.pair = NULL;
	copy.n_pair = 0;
	if (!facts)
		return -ENOMEM;
	*facts = *node->facts;
	return sd_fleet_add(fleet, &copy);
}

static enum sd_exit history(const struct sd_cli *cli, const struct sd_fleet_options *a)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	struct sd_fleet fleet = {.n = 0};
	struct sd_fleet_store *store;
	enum sd_exit status = SD_EXIT_MEASURE;
	int rc = sd_fleet_store_open(&store, a->store, 0, cli->sink);

	rc = rc ? rc : sd_fleet_store_each(store, a->operand[0], copy_node, &fleet);
	if (rc == 0 && !fleet.n)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: has no calibration in %s", a->operand[0],
			a->store);
	else if (rc == 0)
		status = printed(cli, sd_fleet_history_text(stdout, fleet.node, fleet.n, &style),
			SD_EXIT_DONE);
	sd_fleet_store_close(store);
	sd_fleet_free(&fleet);
	return status;
}

static int export_node(void *f, const struct sd_fleet_node *node)
{
	return sd_fleet_line_encode(f, node);
}

static enum sd_exit export_all(const struct sd_cli *cli, const struct sd_fleet_options *a)
{
	struct sd_fleet_store *store;
	int rc = sd_fleet_store_open(&store, a->store, 0, cli->sink);

	if (rc == 0) {
		rc = sd_fleet_store_each(store, NULL, export_node, stdout);
		rc = (int)printed(cli, rc, rc && rc != -EIO ? SD_EXIT_MEASURE : SD_EXIT_DONE);
	} else {
		rc = SD_EXIT_MEASURE;
	}
	sd_fleet_store_close(store);
	return (enum sd_exit)rc;
}

struct import {
	struct sd_fleet_store *store;
	size_t added, known;
};

static int import_node(void *ctx, struct sd_fleet_node *node)
{
	struct import *const i = ctx;
	const int rc = sd_fleet_store_add(i->store, node);

	i->added += rc == 0;
	i->known += rc == 1;
	return rc < 0 ? rc : 0;
}

/* All of a file or nothing of it. */
static enum sd_exit import_all(const struct sd_cli *cli, const struct sd_fleet_options *a)
{
	struct import i = {.store = NULL};
	int rc = sd_fleet_store_open(&i.store, a->store, 1, cli->sink);

	for (size_t k = 0; rc == 0 && k < a->n_operand; k++) {
		rc = sd_fleet_store_begin(i.store);
		if (rc)
			break;
		rc = sd_fleet_source_each(cli, a->operand[k], import_node, &i);
		rc = sd_fleet_store_end(i.store, rc == 0) ? -EIO : rc;
		if (rc == -ENOMEM)
			sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
	}
	sd_fleet_store_close(i.store);
	if (rc)
		return SD_EXIT_MEASURE;
	sd_say(cli->sink, SD_LEVEL_NOTE, "%zu calibrations added to %s, %zu were there", i.added,
		a->store, i.known);
	return SD_EXIT_DONE;
}

enum sd_exit sd_cmd_fleet(const struct sd_cli *cli, int argc, char **argv)
{
	static enum sd_exit (*const run[SD_FLEET_ACTIONS])(
		const struct sd_cli *, const struct sd_fleet_options *) = {
		[SD_FLEET_CALIBRATE] = sd_fleet_calibrate,
		[SD_FLEET_REPORT] = judge,
		[SD_FLEET_CHECK] = judge,
		[SD_FLEET_COMPARE] = compare,
		[SD_FLEET_HISTORY] = history,
		[SD_FLEET_IMPORT] = import_all,
		[SD_FLEET_EXPORT] = export_all,
	};
	struct sd_fleet_options a = {.sink = cli->sink};

	if (sd_fleet_options_parse(argc, argv, &a) != 0)
		return SD_EXIT_USAGE;
	return a.asked ? sd_command_help_answer(cli, "fleet", a.asked) : run[a.action](cli, &a);
}
