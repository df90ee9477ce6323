/*
 * Facts in a program's file about possible interventions from outside, for experiments.
 */
#ifndef SD_BINARY_FACTS_H
#define SD_BINARY_FACTS_H

#include <stddef.h>

struct sd_binary_facts {
	int elf;        /* it, or the interpreter in its first line, is an ELF file */
	int native;     /* 64-bit, of our own architecture */
	int dynamic;    /* with a dynamic loader, so that a library can be preloaded */
	int glibc;      /* with glibc's loader, so that tunables work */
	int privileged; /* set-user-ID or similar: the loader ignores both */
	int openmp; /* 1: it names an OpenMP runtime; 0: neither it nor any library it names does;
		       -1: unknown */
	const char *futexes; /* static: the language whose locks in it are futexes of its own, not
				pthreads; NULL: none known */
	char allocator[16];  /* its own allocator: one that it names, or "malloc", which it defines
				and every library then calls; "" none known */
};

/* Follows a script's first line once. 0, or -errno if unreadable (*out zeroed). */
int sd_binary_facts_look(const char *path, struct sd_binary_facts *out);

/* The same from (untrusted) bytes in memory, except `privileged`. */
void sd_binary_facts_parse(const unsigned char *bytes, size_t n, struct sd_binary_facts *out);

#endif
