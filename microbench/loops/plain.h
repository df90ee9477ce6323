/*
 * Code that is timed is as it is written, also in a build whose other code is instrumented.
 */
#ifndef SD_PLAIN_H
#define SD_PLAIN_H

/*
 * Attribute of a function whose loads and stores are timed: no sanitizer checks them. The checks
 * take longer than a cache, and their shadow memory drives out of it what the function reads.
 */
#define SD_PLAIN __attribute__((no_sanitize("thread", "address", "undefined")))

#endif
