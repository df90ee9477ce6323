/*
 * Detects that a signal kills the program, which QEMU does not report to plugins.
 */
#ifndef SIM_DEATH_H
#define SIM_DEATH_H

/* Calls `last` with the signal number, in the thread it kills, right before QEMU kills itself with
 * it. Never called if QEMU's internals differ from the known ones. */
void sim_fatal_signals_hear(void (*last)(int signal));

#endif
