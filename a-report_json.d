report_json.o: tests/e2e/report_json.c tests/e2e/e2e.h \
 build/rooms/include/record@/record/cause.h
tests/e2e/e2e.h:
build/rooms/include/record@/record/cause.h:
