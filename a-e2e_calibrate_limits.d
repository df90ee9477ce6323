e2e_calibrate_limits.o: tests/e2e/e2e_calibrate_limits.c \
 tests/e2e/calibration_files.h tests/e2e/e2e.h tests/support/others.h
tests/e2e/calibration_files.h:
tests/e2e/e2e.h:
tests/support/others.h:
