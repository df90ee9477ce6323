e2e_unwritable.o: tests/e2e/e2e_unwritable.c tests/e2e/record_runs.h \
 tests/e2e/e2e.h
tests/e2e/record_runs.h:
tests/e2e/e2e.h:
