e2e_lessons.o: tests/e2e/e2e_lessons.c tests/e2e/lesson_counts.h \
 tests/e2e/e2e.h tests/e2e/lesson_list.h
tests/e2e/lesson_counts.h:
tests/e2e/e2e.h:
tests/e2e/lesson_list.h:
