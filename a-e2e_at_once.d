e2e_at_once.o: tests/e2e/e2e_at_once.c tests/e2e/written_files.h \
 tests/e2e/e2e.h
tests/e2e/written_files.h:
tests/e2e/e2e.h:
