#include "ledger/stack_room.h"

#include <math.h>
#include <string.h>

/* Share of the cores to be placed; less is rounding. */
#define NOTHING 1e-12

struct flow {
	const struct sd_stack_room *room;
	double left[SD_STACK_ROOM_USERS]; /* still to be placed */
	double used[SD_STACK_ROOM_NODES];
	double placed[SD_STACK_ROOM_USERS][SD_STACK_ROOM_NODES];
	double nothing;
};

/* A way from a cause with something left to a part with something free, shortest first. */
struct way {
	int part_from[SD_STACK_ROOM_NODES]; /* the cause that would draw on it more; -1
					     not reached */
	int user_from[SD_STACK_ROOM_USERS]; /* the part it would draw on less; -1 a start, -2 not
					       reached */
	int queue[SD_STACK_ROOM_USERS];
	int n;
};

static void begin(const struct flow *f, struct way *w)
{
	w->n = 0;
	for (int k = 0; k < SD_STACK_ROOM_NODES; k++)
		w->part_from[k] = -1;
	for (int u = 0; u < SD_STACK_ROOM_USERS; u++) {
		w->user_from[u] = f->left[u] > f->nothing ? -1 : -2;
		if (w->user_from[u] == -1)
			w->queue[w->n++] = u;
	}
}

/* The part at the way's end; -1: there is none. */
static int find_way(const struct flow *f, struct way *w)
{
	begin(f, w);
	for (int i = 0; i < w->n; i++) {
		const int u = w->queue[i];

		for (int k = 0; k < SD_STACK_ROOM_NODES; k++) {
			if (!(f->room->may[u] >> k & 1) || w->part_from[k] >= 0)
				continue;
			w->part_from[k] = u;
			if (f->room->capacity[k] - f->used[k] > f->nothing)
				return k;
			for (int v = 0; v < SD_STACK_ROOM_USERS; v++)
				if (w->user_from[v] == -2 && f->placed[v][k] > f->nothing) {
					w->user_from[v] = k;
					w->queue[w->n++] = v;
				}
		}
	}
	return -1;
}

/* Moves as much as the way carries. */
static void send(struct flow *f, const struct way *w, int end)
{
	double amount = f->room->capacity[end] - f->used[end];
	int k = end, u;

	for (u = w->part_from[k]; w->user_from[u] >= 0; u = w->part_from[k]) {
		k = w->user_from[u];
		amount = fmin(amount, f->placed[u][k]);
	}
	amount = fmin(amount, f->left[u]);
	f->left[u] -= amount;
	f->used[end] += amount;
	k = end;
	for (u = w->part_from[k];; u = w->part_from[k]) {
		f->placed[u][k] += amount;
		if (w->user_from[u] < 0)
			return;
		k = w->user_from[u];
		f->placed[u][k] -= amount;
	}
}

double sd_stack_room_for(const struct sd_stack_room *r, unsigned user, double most)
{
	struct flow f = {.room = r, .nothing = NOTHING * fmax(1, most)};
	struct way w;
	double sent = 0;
	int end;

	memcpy(f.left, r->sure, sizeof f.left);
	f.left[user] = most;
	while ((end = find_way(&f, &w)) >= 0)
		send(&f, &w, end);
	/* what all have together, less what the others should have */
	for (unsigned u = 0; u < SD_STACK_ROOM_USERS; u++)
		sent -= u == user ? 0 : r->sure[u];
	for (int k = 0; k < SD_STACK_ROOM_NODES; k++)
		sent += f.used[k];
	return fmin(most, sent);
}
