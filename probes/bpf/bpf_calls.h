/*
 * bpf(2): maps, and programs at the kernel's raw tracepoints. Each returns a descriptor, which the
 * caller closes, or 0; or -errno.
 */
#ifndef SD_BPF_CALLS_H
#define SD_BPF_CALLS_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#define SD_BPF_CALLS_TYPES "/sys/kernel/btf/vmlinux" /* what the kernel says of its types */

int sd_bpf_calls_map(enum bpf_map_type type, uint32_t key_size, uint32_t value_size,
	uint32_t entries, uint32_t flags);

/* Key and value are of the map's sizes; a value of a map with one per CPU is of each CPU that can
 * be, in multiples of 8 bytes. -ENOENT: the map does not have the key, or (first) any. */
int sd_bpf_calls_put(int map, const void *key, const void *value);
int sd_bpf_calls_get(int map, const void *key, void *value);
int sd_bpf_calls_first(int map, void *key);
int sd_bpf_calls_delete(int map, const void *key);

/* Loads a program for the kernel's raw tracepoint whose BTF type is `point`, and runs it there
 * until the descriptor is closed. *program, unless it is NULL, is then its own, or below 0. */
int sd_bpf_calls_run(const struct bpf_insn *insn, size_t n, uint32_t point, int *program);

/* Runs it at its tracepoint again. */
int sd_bpf_calls_attach(int program);

/* 1: numbers of threads are here those of the first PID namespace, as they are in the kernel. */
int sd_bpf_calls_sees_pids(void);

/* As many CPUs as the highest number in a list of /sys/devices/system/cpu, and one; 0 unknown. */
unsigned sd_bpf_calls_cpus(const char *list_path);

#endif
