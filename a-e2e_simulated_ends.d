e2e_simulated_ends.o: tests/e2e/e2e_simulated_ends.c \
 tests/e2e/simulated_lines.h tests/e2e/e2e.h
tests/e2e/simulated_lines.h:
tests/e2e/e2e.h:
