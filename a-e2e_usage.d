e2e_usage.o: tests/e2e/e2e_usage.c tests/e2e/usage_of.h tests/e2e/e2e.h
tests/e2e/usage_of.h:
tests/e2e/e2e.h:
