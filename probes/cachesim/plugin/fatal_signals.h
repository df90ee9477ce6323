/*
 * The death of the program by a signal, of which QEMU tells a plugin nothing.
 */
#ifndef SIM_DEATH_H
#define SIM_DEATH_H

/* `last` is called with the signal's number, in the thread that it ends, right before QEMU kills
 * itself by it. Where QEMU is made otherwise than we know, never. */
void sim_fatal_signals_hear(void (*last)(int signal));

#endif
