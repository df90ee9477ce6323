/* Lists built and taken apart. */
#include <malloc.h>
#include <string.h>

#include "work.h"

#define LISTS 100000
#define NODES 64

struct node {
	struct node *next;
	char body[1500];
};

#ifdef FIXED
struct pool {
	struct node node[NODES];
	int used;
};
static struct node *get(struct pool *p)
{
	p->used %= NODES;
	return &p->node[p->used++];
}
static void put(struct node *n)
{
	(void)n;
}
#else
struct pool {
	int unused;
};
static struct node *get(struct pool *p)
{
	(void)p;
	return malloc(sizeof(struct node));
}
static void put(struct node *n)
{
	free(n);
}
#endif

static void build(struct pool *p)
{
	struct node *head = NULL, *n;

	for (int k = 0; k < NODES; k++) {
		n = get(p);
		if (!n)
			abort();
		memset(n->body, k, sizeof n->body);
		__asm__ volatile("" : : "r"(n->body) : "memory");
		n->next = head;
		head = n;
	}
	while ((n = head)) {
		head = n->next;
		put(n);
	}
}

int main(void)
{
	mallopt(M_ARENA_MAX, 1);
#pragma omp parallel
	{
		struct pool *const p = calloc(1, sizeof *p);

#pragma omp for schedule(static)
		for (int i = 0; i < LISTS; i++)
			build(p);
		free(p);
	}
	return 0;
}
