#include "mpi/mpi_sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/code_nodes.h"
#include "symbols/symbols.h"

/* No executable is larger; each module is put at a multiple of it into a space of its own. */
#define SPAN 0x100000000ull
#define SLOTS (4 * SD_MPI_RUN_SITES)

/* A site that is known: what tells it from others, and its row. */
struct slot {
	const struct sd_mpi_site *site;
	const char *module;
	uint32_t row; /* + 1; 0: unused */
};

struct work {
	struct sd_code_nodes code;
	struct sd_mpi_run *run;
	const char *module[256]; /* mapped, in their order */
	size_t modules;
	struct slot slot[SLOTS];
};

static const char *module_of(const struct sd_mpi_log *h, const struct sd_mpi_site *s)
{
	return s->module < h->modules ? h->module[s->module] : "";
}

static uint64_t hash(const char *module, const struct sd_mpi_site *s)
{
	uint64_t h = 14695981039346656037ull ^ s->address;

	for (const char *c = s->call; *c; c++)
		h = (h ^ (unsigned char)*c) * 1099511628211ull;
	for (; *module; module++)
		h = (h ^ (unsigned char)*module) * 1099511628211ull;
	return h;
}

static struct slot *find(struct work *w, const char *module, const struct sd_mpi_site *s)
{
	size_t at = hash(module, s) % SLOTS;

	while (w->slot[at].row && (w->slot[at].site->address != s->address ||
					  strcmp(w->slot[at].site->call, s->call) != 0 ||
					  strcmp(w->slot[at].module, module) != 0))
		at = (at + 1) % SLOTS;
	return &w->slot[at];
}

/* Address of the module in the made-up address space; 0: it cannot be named. */
static uint64_t map_module(struct work *w, const char *module)
{
	size_t i = 0;

	while (i < w->modules && strcmp(w->module[i], module) != 0)
		i++;
	if (i == w->modules) {
		const struct sd_event map = {.kind = SD_EVENT_MAP,
			.pid = w->code.pid,
			.tid = w->code.pid,
			.address = (i + 1) * SPAN,
			.size = SPAN,
			.name = module};

		if (i == sizeof w->module / sizeof *w->module ||
			sd_symbols_event(w->code.symbols, &map))
			return 0;
		w->module[w->modules++] = module;
	}
	return (i + 1) * SPAN;
}

static int add(struct work *w, const char *module, const struct sd_mpi_site *s, struct slot *slot)
{
	struct sd_mpi_call_site *to;
	uint64_t base;

	if (w->run->n_site == SD_MPI_RUN_SITES)
		return 0;
	to = &w->run->site[w->run->n_site++];
	*slot = (struct slot){s, module, (uint32_t)w->run->n_site};
	snprintf(to->call, sizeof to->call, "%s", s->call);
	base = w->code.stacks && *module == '/' && s->address < SPAN ? map_module(w, module) : 0;
	return base ? sd_code_nodes_add(&w->code, base + s->address, 1, 0, &to->node) : 0;
}

static int add_all(struct work *w, struct sd_mpi_sites *s, struct sd_mpi_fragments *f)
{
	size_t n = 0;

	for (size_t k = 0; k < f->n_rank; k++) {
		const struct sd_mpi_log *const h = f->rank[k].head;

		f->rank[k].site = s->row + n;
		for (size_t i = 0; i < h->sites; i++) {
			const char *const module = module_of(h, &h->site[i]);
			struct slot *const slot = find(w, module, &h->site[i]);

			if (!slot->row && add(w, module, &h->site[i], slot))
				return -ENOMEM;
			s->row[n++] = slot->row - 1; /* UINT32_MAX: it has none */
		}
	}
	return 0;
}

int sd_mpi_sites_make(struct sd_mpi_sites *s, struct sd_mpi_fragments *f, struct sd_stacks *stacks,
	struct sd_mpi_run *run)
{
	struct work *const w = calloc(1, sizeof *w);
	size_t n = 0;
	int rc = w ? 0 : -ENOMEM;

	for (size_t k = 0; k < f->n_rank; k++)
		n += f->rank[k].head->sites;
	s->row = malloc((n + 1) * sizeof *s->row);
	run->site = calloc(SD_MPI_RUN_SITES, sizeof *run->site);
	if (!s->row || !run->site)
		rc = -ENOMEM;
	if (!rc && stacks)
		rc = sd_symbols_open(&w->code.symbols, "");
	if (!rc) {
		w->run = run;
		w->code.stacks = stacks;
		w->code.pid = 1;
		rc = add_all(w, s, f);
		sd_symbols_close(w->code.symbols);
	}
	free(w);
	return rc;
}

void sd_mpi_sites_free(struct sd_mpi_sites *s)
{
	free(s->row);
	*s = (struct sd_mpi_sites){0};
}
