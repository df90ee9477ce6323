e2e_learn.o: tests/e2e/e2e_learn.c tests/e2e/lesson_list.h \
 tests/e2e/e2e.h
tests/e2e/lesson_list.h:
tests/e2e/e2e.h:
