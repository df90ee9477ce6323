machine_needs.o: tests/e2e/machine_needs.c tests/e2e/e2e.h
tests/e2e/e2e.h:
