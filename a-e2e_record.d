e2e_record.o: tests/e2e/e2e_record.c tests/e2e/record_runs.h \
 tests/e2e/e2e.h
tests/e2e/record_runs.h:
tests/e2e/e2e.h:
