/*
 * The only access to bpf(2). All return a descriptor (close-on-exec), 0, or -errno.
 */
#ifndef SD_BPF_CALL_H
#define SD_BPF_CALL_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/* Keys are 4 bytes. */
int sd_bpf_call_map(enum bpf_map_type type, uint32_t value_size, uint32_t entries, uint32_t flags);

/* Stores the descriptor of an event in an array of them. */
int sd_bpf_call_put(int map, uint32_t key, int fd);

/* Loads a program for the kernel's raw tracepoint whose BTF type is `point`. */
int sd_bpf_call_load(const struct bpf_insn *insn, size_t n, uint32_t point);

/* Runs it at its tracepoint, until the descriptor is closed. */
int sd_bpf_call_attach(int program);

#endif
