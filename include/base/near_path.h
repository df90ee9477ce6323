/*
 * Paths as one who stands in a folder writes them.
 */
#ifndef SD_NEAR_PATH_H
#define SD_NEAR_PATH_H

/* A file's name from this folder on, within `file`: "src/work" of "/home/me/app/src/work" in
 * "/home/me/app". As it is where it lies elsewhere, or the folder is NULL, "" or "/". */
const char *sd_near_path(const char *file, const char *folder);

#endif
