e2e_samples.o: tests/e2e/e2e_samples.c tests/e2e/sampled_losses.h \
 tests/e2e/e2e.h tests/support/others.h
tests/e2e/sampled_losses.h:
tests/e2e/e2e.h:
tests/support/others.h:
