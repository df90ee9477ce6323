/*
 * How a program was compiled, as its debug information says.
 */
#ifndef SD_PROGRAM_BUILD_H
#define SD_PROGRAM_BUILD_H

/*
 * *out, owned by the caller: compiler, version and, where it records them (GCC does), options:
 * "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fopenmp". It is that of the first unit that
 * is no assembly: a program's own objects are linked before its libraries. NULL: the file, or the
 * debug file that belongs to it, does not say. Control characters are replaced. 0 or -ENOMEM.
 */
int sd_program_build_read(const char *path, char **out);

/* Are those the options of a compiler that records them, and none of them optimises? */
int sd_program_build_is_plain(const char *build);

#endif
