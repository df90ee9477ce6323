# What each fuzz target starts from, beside tests/fixtures/<target>: the one list of these paths. Real files of the tree
# serve as they are; tests/fixtures is remade by `make fuzz-seeds`.
FUZZ_FIXTURES = tests/fixtures
FUZZ_RECORDS = $(FUZZ_FIXTURES)/fuzz_record
FUZZ_SEEDS_fuzz_binary = $(FUZZ_FIXTURES)/fuzz_symbols
FUZZ_SEEDS_fuzz_compare = $(FUZZ_RECORDS)
FUZZ_SEEDS_fuzz_eventmap = configs/events
FUZZ_SEEDS_fuzz_happened = $(FUZZ_FIXTURES)/fuzz_capture
FUZZ_SEEDS_fuzz_lines = $(FUZZ_RECORDS)
FUZZ_SEEDS_fuzz_machine = configs/machines
FUZZ_SEEDS_fuzz_report = $(FUZZ_RECORDS)
FUZZ_SEEDS_fuzz_waitrules = configs/waits configs/locks configs/programs
