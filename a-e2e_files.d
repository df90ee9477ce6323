e2e_files.o: tests/e2e/e2e_files.c tests/e2e/written_files.h \
 tests/e2e/e2e.h
tests/e2e/written_files.h:
tests/e2e/e2e.h:
