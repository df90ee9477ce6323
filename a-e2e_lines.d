e2e_lines.o: tests/e2e/e2e_lines.c tests/e2e/simulated_lines.h \
 tests/e2e/e2e.h
tests/e2e/simulated_lines.h:
tests/e2e/e2e.h:
