/*
 * Programs of languages with a runtime of their own, each with one lock that its threads hold most
 * of the time: that lock is seen, and who runs is named as the user wrote it. What is not installed
 * is skipped.
 */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>

static const char python[] =
	"import sys, threading\n"
	"def crunch(n):\n"
	"    s = 0\n"
	"    for i in range(n): s += i * i\n"
	"def work(n):\n"
	"    for _ in range(n): crunch(50000)\n"
	"n = int(sys.argv[1])\n"
	"t = [threading.Thread(target=work, args=(64 // n,)) for _ in range(n)]\n"
	"for x in t: x.start()\n"
	"for x in t: x.join()\n";

static const char java[] =
	"public class Lock {\n"
	"  static final Object table = new Object();\n"
	"  static long total;\n"
	"  static long step(long x) {\n"
	"    for (int i = 0; i < 20000; i++) x = x * 6364136223846793005L + 1442695040888963407L;\n"
	"    return x;\n"
	"  }\n"
	"  static void serve(int n) {\n"
	"    for (int i = 0; i < n; i++) synchronized (table) { total += step(i); }\n"
	"  }\n"
	"  public static void main(String[] a) throws Exception {\n"
	"    int n = Integer.parseInt(a[0]);\n"
	"    Thread[] t = new Thread[n];\n"
	"    for (int i = 0; i < n; i++) { t[i] = new Thread(() -> serve(36000 / n)); t[i].start(); }\n"
	"    for (Thread x : t) x.join();\n"
	"    System.out.println(total);\n"
	"  }\n"
	"}\n";

static const char rust[] =
	"use std::sync::{Arc, Mutex};\n"
	"fn step(mut x: u64) -> u64 {\n"
	"    for _ in 0..100000 { x = x.wrapping_mul(6364136223846793005).wrapping_add(x >> 7); }\n"
	"    x\n"
	"}\n"
	"fn main() {\n"
	"    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();\n"
	"    let total = Arc::new(Mutex::new(1u64));\n"
	"    let t: Vec<_> = (0..n).map(|_| { let total = total.clone(); std::thread::spawn(move || {\n"
	"        for _ in 0..2000 / n { let mut g = total.lock().unwrap(); *g = step(*g); }\n"
	"    })}).collect();\n"
	"    for x in t { x.join().unwrap(); }\n"
	"    println!(\"{}\", total.lock().unwrap());\n"
	"}\n";

static const char node[] =
	"const { Worker, isMainThread, workerData } = require('worker_threads');\n"
	"function crunch(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }\n"
	"if (isMainThread) {\n"
	"  const n = +process.argv[2], shared = new SharedArrayBuffer(8);\n"
	"  for (let i = 0; i < n; i++) new Worker(__filename, { workerData: { shared, n } });\n"
	"} else {\n"
	"  const w = new Int32Array(workerData.shared);\n"
	"  for (let i = 0; i < 40 / workerData.n; i++) {\n"
	"    while (Atomics.compareExchange(w, 0, 0, 1) !== 0) Atomics.wait(w, 0, 1);\n"
	"    w[1] += crunch(3e6);\n"
	"    Atomics.store(w, 0, 0); Atomics.notify(w, 0, 1);\n"
	"  }\n"
	"}\n";

static const struct language {
	const char *name, *file, *text, *needs, *build;
	const char *command[6]; /* the count comes behind it */
	const char *function;   /* a part of the name of what works; NULL: the runtime names none */
} languages[] = {
	{"Python", "gil.py", python, "/usr/bin/python3 -c 'import threading'", "true",
		{"/usr/bin/python3", "gil.py"}, "py::crunch"},
	{"Python with -X perf", "gil.py", python, "python3.12 -X perf -c 'import threading'",
		"true", {"python3.12", "-X", "perf", "gil.py"}, "py::crunch"},
	{"Java", "Lock.java", java, "java -version && javac -version", "javac Lock.java",
		{"java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-cp", ".",
			"Lock"},
		"Lock.s"},
	{"Java that is asked while it runs", "Lock.java", java, "java -version && javac -version",
		"javac Lock.java", {"java", "-cp", ".", "Lock"}, "Lock.s"},
	{"Rust", "lock.rs", rust, "rustc --version", "rustc -O -g lock.rs", {"./lock"}, "step"},
	{"Node.js", "lock.js", node, "node --version", "true",
		{"node", "--perf-basic-prof-only-functions", "lock.js"}, "crunch"},
};

static int shell(const struct e2e *e, const char *command)
{
	char text[900];

	snprintf(text, sizeof text, "cd '%s' && { %s; } >log 2>&1", e->folder, command);
	return system(text); /* NOLINT(cert-env33-c): our own words */
}

/* Waiting for locks, of the runtime's or made of it, took part of the cores; and the function. */
static void expect(const struct language *l, const json_t *report)
{
	char *const text = json_dumps(json_object_get(report, "functions"), 0);

	assert_non_null(text);
	if (!(e2e_component(report, 2, "lock") > 0))
		fail_msg("%s: no thread waits for the lock", l->name);
	if (l->function && !strstr(text, l->function))
		fail_msg("%s: %s is not in %s", l->name, l->function, text);
	free(text);
}

static void one_lock_is_seen_in_every_language(void **state)
{
	struct e2e *const e = *state;
	unsigned tried = 0;

	e2e_need_two_cpus(__func__);
	for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
		const struct language *const l = &languages[i];
		const char *args[24] = {"--cores", "1,2", "--repeats", "1", "--experiments", "none",
			"--json", "-o", "r.json", "--"};
		struct e2e_result r;
		size_t n = 10;

		if (shell(e, l->needs)) {
			print_message("SKIP: %s: %s is not here\n", __func__, l->name);
			continue;
		}
		e2e_write(e2e_path(e, l->file), l->text);
		if (shell(e, l->build))
			fail_msg("%s: %s failed", l->name, l->build);
		for (size_t k = 0; k < 6 && l->command[k]; k++)
			args[n++] = l->command[k];
		args[n] = "{n}";
		e2e_run_args(e, &r, NULL, NULL, args);
		e2e_expect_status(&r, 0);
		expect(l, e2e_report(e, &r));
		e2e_result_free(&r);
		remove(e2e_path(e, "r.json"));
		tried++;
	}
	if (!tried)
		e2e_skip(__func__, "none of them is here");
}

/* Half of the work is one function of the parent, when the pool has done the other half. */
static const char pool[] = "import sys, multiprocessing as mp\n"
			   "def crunch(k):\n"
			   "    s = 0\n"
			   "    for i in range(60000): s += i * k\n"
			   "    return s\n"
			   "def finish(n):\n"
			   "    t = 0\n"
			   "    for i in range(n):\n"
			   "        t = (t * 31 + i) % 1000003\n"
			   "    return t\n"
			   "if __name__ == '__main__':\n"
			   "    with mp.get_context('fork').Pool(int(sys.argv[1])) as p:\n"
			   "        s = sum(p.map(crunch, range(32), chunksize=1))\n"
			   "    print(s, finish(2000000))\n";

static double cores_of(const json_t *report, const char *function, const char *component)
{
	double cores = 0;
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(report, "functions"), i, f)
	{
		const char *const name = json_string_value(json_object_get(f, "function"));

		if (name && strstr(name, function))
			cores += json_number_value(
				json_object_get(json_object_get(f, "components"), component));
	}
	return cores;
}

/* CPython's own functions are the same for all: what it interprets is read from its memory, in
 * every process of a pool. */
static void a_pool_of_python_names_what_its_processes_run(void **state)
{
	static const char *const args[] = {"--cores", "1,2", "--repeats", "2", "--experiments",
		"none", "--json", "-o", "r.json", "--", "/usr/bin/python3", "pool.py", "{n}", NULL};
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	if (shell(e,
		    "/usr/bin/python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))'"))
		e2e_skip(__func__, "no Python whose functions are read");
	e2e_write(e2e_path(e, "pool.py"), pool);
	e2e_run_args(e, &r, NULL, NULL, args);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	if (!(cores_of(report, "py::finish", "serial") >
		    4 * cores_of(report, "py::crunch", "serial"))) {
		e2e_show(report);
		fail_msg("the serial code is not finish()'s");
	}
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_pool_of_python_names_what_its_processes_run, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			one_lock_is_seen_in_every_language, e2e_setup, e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
