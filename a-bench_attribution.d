bench_attribution.o: tests/bench/bench_attribution.c \
 tests/bench/perf_output.h tests/support/capture_child.h \
 build/rooms/probes/trace@/trace/trace.h \
 build/rooms/include/base@/base/cpulist.h \
 build/rooms/include/base@/base/status.h \
 build/rooms/include/trace@/trace/event.h \
 build/rooms/probes@/probes/probes.h \
 build/rooms/include/probe@/probe/probe.h \
 build/rooms/include/record@/record/run.h \
 build/rooms/include/record@/record/memory_sampled.h \
 build/rooms/include/record@/record/simulated.h \
 build/rooms/include/record@/record/role.h \
 build/rooms/include/record@/record/mpi_run.h \
 build/rooms/include/record@/record/sampled.h \
 build/rooms/include/record@/record/core_time.h \
 build/rooms/include/record@/record/cause.h \
 build/rooms/include/record@/record/experiment_run.h \
 build/rooms/include/base@/base/sink.h \
 build/rooms/include/record@/record/stacks.h
tests/bench/perf_output.h:
tests/support/capture_child.h:
build/rooms/probes/trace@/trace/trace.h:
build/rooms/include/base@/base/cpulist.h:
build/rooms/include/base@/base/status.h:
build/rooms/include/trace@/trace/event.h:
build/rooms/probes@/probes/probes.h:
build/rooms/include/probe@/probe/probe.h:
build/rooms/include/record@/record/run.h:
build/rooms/include/record@/record/memory_sampled.h:
build/rooms/include/record@/record/simulated.h:
build/rooms/include/record@/record/role.h:
build/rooms/include/record@/record/mpi_run.h:
build/rooms/include/record@/record/sampled.h:
build/rooms/include/record@/record/core_time.h:
build/rooms/include/record@/record/cause.h:
build/rooms/include/record@/record/experiment_run.h:
build/rooms/include/base@/base/sink.h:
build/rooms/include/record@/record/stacks.h:
