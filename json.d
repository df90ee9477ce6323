json.o: diagnose/report/json/json.c \
  build/rooms/diagnose/report/page@/page/report_style.h \
  build/rooms/include/analysis@/analysis/analysis.h \
  build/rooms/include/analysis@/analysis/event_hotspots.h \
  build/rooms/include/base@/base/status.h \
  build/rooms/include/analysis@/analysis/other_state.h \
  build/rooms/include/record@/record/cause.h \
  build/rooms/include/analysis@/analysis/rank_losses.h \
  build/rooms/include/base@/base/texts.h \
  build/rooms/include/analysis@/analysis/region_losses.h \
  build/rooms/include/record@/record/region_run.h \
  build/rooms/include/record@/record/core_time.h \
  build/rooms/include/record@/record/experiment.h \
  build/rooms/include/record@/record/plan.h \
  build/rooms/include/base@/base/cpulist.h \
  build/rooms/include/record@/record/options.h \
  build/rooms/include/record@/record/role.h \
  build/rooms/include/record@/record/simulated.h \
  build/rooms/include/record@/record/line_object.h \
  build/rooms/include/record@/record/run.h \
  build/rooms/include/record@/record/binned_lanes.h \
  build/rooms/include/record@/record/memory_sampled.h \
  build/rooms/include/record@/record/mpi_run.h \
  build/rooms/include/record@/record/native_lines.h \
  build/rooms/include/record@/record/sampled.h \
  build/rooms/include/record@/record/experiment_run.h \
  build/rooms/include/analysis@/analysis/folded_stacks.h \
  build/rooms/include/analysis@/analysis/contested_lines.h \
  build/rooms/include/record@/record/record.h \
  build/rooms/include/record@/record/ceiling.h \
  build/rooms/include/record@/record/machine_layout.h \
  build/rooms/include/machine@/machine/topology.h \
  build/rooms/include/base@/base/sink.h \
  build/rooms/include/record@/record/stacks.h \
  build/rooms/include/machine@/machine/node_facts.h \
  build/rooms/include/analysis@/analysis/waste.h \
  build/rooms/include/analysis@/analysis/stack_profile.h \
  build/rooms/include/analysis@/analysis/thread_lanes.h \
  build/rooms/diagnose/report/facts@/facts/facts.h \
  build/rooms/include/analysis@/analysis/kernel_lock_means.h \
  build/rooms/include/analysis@/analysis/neighbours_met.h \
  build/rooms/diagnose/report/facts@/facts/document.h \
  build/rooms/diagnose/report/facts@/facts/fact_table.h \
  build/rooms/diagnose/report/json@/json/json_losses.h \
  build/rooms/diagnose/report/render@/render/json_values.h \
  build/rooms/diagnose/report/render@/render/render.h \
  build/rooms/diagnose/report/page@/page/page.h \
  build/rooms/diagnose/report/json@/json/json_view.h \
  build/rooms/diagnose/report/view@/view/view.h

build/rooms/diagnose/report/page@/page/report_style.h:

build/rooms/include/analysis@/analysis/analysis.h:

build/rooms/include/analysis@/analysis/event_hotspots.h:

build/rooms/include/base@/base/status.h:

build/rooms/include/analysis@/analysis/other_state.h:

build/rooms/include/record@/record/cause.h:

build/rooms/include/analysis@/analysis/rank_losses.h:

build/rooms/include/base@/base/texts.h:

build/rooms/include/analysis@/analysis/region_losses.h:

build/rooms/include/record@/record/region_run.h:

build/rooms/include/record@/record/core_time.h:

build/rooms/include/record@/record/experiment.h:

build/rooms/include/record@/record/plan.h:

build/rooms/include/base@/base/cpulist.h:

build/rooms/include/record@/record/options.h:

build/rooms/include/record@/record/role.h:

build/rooms/include/record@/record/simulated.h:

build/rooms/include/record@/record/line_object.h:

build/rooms/include/record@/record/run.h:

build/rooms/include/record@/record/binned_lanes.h:

build/rooms/include/record@/record/memory_sampled.h:

build/rooms/include/record@/record/mpi_run.h:

build/rooms/include/record@/record/native_lines.h:

build/rooms/include/record@/record/sampled.h:

build/rooms/include/record@/record/experiment_run.h:

build/rooms/include/analysis@/analysis/folded_stacks.h:

build/rooms/include/analysis@/analysis/contested_lines.h:

build/rooms/include/record@/record/record.h:

build/rooms/include/record@/record/ceiling.h:

build/rooms/include/record@/record/machine_layout.h:

build/rooms/include/machine@/machine/topology.h:

build/rooms/include/base@/base/sink.h:

build/rooms/include/record@/record/stacks.h:

build/rooms/include/machine@/machine/node_facts.h:

build/rooms/include/analysis@/analysis/waste.h:

build/rooms/include/analysis@/analysis/stack_profile.h:

build/rooms/include/analysis@/analysis/thread_lanes.h:

build/rooms/diagnose/report/facts@/facts/facts.h:

build/rooms/include/analysis@/analysis/kernel_lock_means.h:

build/rooms/include/analysis@/analysis/neighbours_met.h:

build/rooms/diagnose/report/facts@/facts/document.h:

build/rooms/diagnose/report/facts@/facts/fact_table.h:

build/rooms/diagnose/report/json@/json/json_losses.h:

build/rooms/diagnose/report/render@/render/json_values.h:

build/rooms/diagnose/report/render@/render/render.h:

build/rooms/diagnose/report/page@/page/page.h:

build/rooms/diagnose/report/json@/json/json_view.h:

build/rooms/diagnose/report/view@/view/view.h:
