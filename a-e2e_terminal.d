e2e_terminal.o: tests/e2e/e2e_terminal.c tests/e2e/usage_of.h \
 tests/e2e/e2e.h
tests/e2e/usage_of.h:
tests/e2e/e2e.h:
