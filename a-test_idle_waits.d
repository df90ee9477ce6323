test_idle_waits.o: tests/diagnose/analyse/causes/test_idle_waits.c \
 tests/support/make_samples.h build/rooms/include/record@/record/record.h \
 build/rooms/include/record@/record/ceiling.h \
 build/rooms/include/base@/base/status.h \
 build/rooms/include/record@/record/machine_layout.h \
 build/rooms/include/machine@/machine/topology.h \
 build/rooms/include/base@/base/cpulist.h \
 build/rooms/include/base@/base/sink.h \
 build/rooms/include/record@/record/options.h \
 build/rooms/include/record@/record/rank_shape.h \
 build/rooms/include/record@/record/plan.h \
 build/rooms/include/record@/record/experiment.h \
 build/rooms/include/record@/record/cause.h \
 build/rooms/include/record@/record/role.h \
 build/rooms/include/record@/record/simulated.h \
 build/rooms/include/record@/record/run.h \
 build/rooms/include/record@/record/memory_sampled.h \
 build/rooms/include/record@/record/mpi_run.h \
 build/rooms/include/record@/record/sampled.h \
 build/rooms/include/record@/record/core_time.h \
 build/rooms/include/record@/record/experiment_run.h \
 build/rooms/include/record@/record/source_text.h \
 build/rooms/include/base@/base/texts.h \
 build/rooms/include/record@/record/stacks.h tests/support/near.h \
 tests/diagnose/analyse/causes/two_points.h \
 tests/support/analyse_record.h \
 build/rooms/diagnose/analyse@/analyse/analyse.h \
 build/rooms/include/analysis@/analysis/analysis.h \
 build/rooms/include/analysis@/analysis/rank_losses.h \
 build/rooms/include/base@/base/statistics.h \
 build/rooms/include/base@/base/random.h
tests/support/make_samples.h:
build/rooms/include/record@/record/record.h:
build/rooms/include/record@/record/ceiling.h:
build/rooms/include/base@/base/status.h:
build/rooms/include/record@/record/machine_layout.h:
build/rooms/include/machine@/machine/topology.h:
build/rooms/include/base@/base/cpulist.h:
build/rooms/include/base@/base/sink.h:
build/rooms/include/record@/record/options.h:
build/rooms/include/record@/record/rank_shape.h:
build/rooms/include/record@/record/plan.h:
build/rooms/include/record@/record/experiment.h:
build/rooms/include/record@/record/cause.h:
build/rooms/include/record@/record/role.h:
build/rooms/include/record@/record/simulated.h:
build/rooms/include/record@/record/run.h:
build/rooms/include/record@/record/memory_sampled.h:
build/rooms/include/record@/record/mpi_run.h:
build/rooms/include/record@/record/sampled.h:
build/rooms/include/record@/record/core_time.h:
build/rooms/include/record@/record/experiment_run.h:
build/rooms/include/record@/record/source_text.h:
build/rooms/include/base@/base/texts.h:
build/rooms/include/record@/record/stacks.h:
tests/support/near.h:
tests/diagnose/analyse/causes/two_points.h:
tests/support/analyse_record.h:
build/rooms/diagnose/analyse@/analyse/analyse.h:
build/rooms/include/analysis@/analysis/analysis.h:
build/rooms/include/analysis@/analysis/rank_losses.h:
build/rooms/include/base@/base/statistics.h:
build/rooms/include/base@/base/random.h:
