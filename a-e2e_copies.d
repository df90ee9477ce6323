e2e_copies.o: tests/e2e/e2e_copies.c tests/e2e/experiment_runs.h \
 tests/e2e/e2e.h tests/support/tried.h
tests/e2e/experiment_runs.h:
tests/e2e/e2e.h:
tests/support/tried.h:
