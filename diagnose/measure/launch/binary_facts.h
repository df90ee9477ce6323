/*
 * What the file of a program tells of what can be changed from outside: for experiments.
 */
#ifndef SD_BINARY_FACTS_H
#define SD_BINARY_FACTS_H

#include <stddef.h>

struct sd_binary_facts {
	int elf;        /* it, or the interpreter of its first line, is an ELF file */
	int native;     /* of 64 bits, for the machine this was built for */
	int dynamic;    /* with a dynamic loader, so that a library can be preloaded */
	int glibc;      /* whose loader is glibc's, so that its tunables are heard */
	int privileged; /* set-user-ID or the like: the loader ignores both */
	int openmp; /* 1 it names an OpenMP runtime; 0 it, and all libraries it names, have none;
		       -1 not known */
	char allocator[16]; /* an allocator of its own that it names; "" none is known */
};

/* Follows the first line of a script once. 0, or -errno when it cannot be read (*out zeroed). */
int sd_binary_facts_look(const char *path, struct sd_binary_facts *out);

/* The same of bytes in memory, but for `privileged`; any bytes may be there. */
void sd_binary_facts_parse(const unsigned char *bytes, size_t n, struct sd_binary_facts *out);

#endif
