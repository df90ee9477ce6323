/*
 * Removing a folder of ours with all that is in it.
 */
#ifndef SD_FOLDER_REMOVAL_H
#define SD_FOLDER_REMOVAL_H

/*
 * Removes the folder `name` of the open folder `at` (AT_FDCWD: any path); follows no link, into it
 * or out of it. 0, also when there is none, or -errno: something of it stayed.
 */
int sd_folder_removal_at(int at, const char *name);

/* The same for one that a scalediag which is no more has noted (base/leftover_note.h): only when it
 * is this user's. */
int sd_folder_removal_noted(int at, const char *folder, const char *name);

#endif
