e2e.o: tests/e2e/e2e.c tests/e2e/e2e.h
tests/e2e/e2e.h:
