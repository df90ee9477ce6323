/*
 * The HTML report in a real browser: every chart drawn, nothing fetched, no error, usable by
 * keyboard, whole on a narrow screen, and the same numbers as the JSON.
 */
#include "e2e/e2e.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/webdriver.h"

struct page {
	struct e2e *e;
	struct webdriver browser;
	char url[512];
};

static int close_page(void **state)
{
	struct page *const p = *state;
	void *e = p->e;
	int rc;

	webdriver_close(&p->browser);
	rc = e2e_teardown(&e);
	free(p);
	return rc;
}

static int open_page(void **state)
{
	struct page *const p = calloc(1, sizeof *p);
	void *e = NULL;

	if (!p || e2e_setup(&e) != 0)
		return -1;
	p->e = e;
	*state = p;
	return 0;
}

static void browse(struct page *p, int width, int height)
{
	const int rc = webdriver_open(&p->browser, width, height);

	if (rc == -ENOENT) {
		print_message("SKIP: no chromedriver here\n");
		skip();
	}
	assert_int_equal(rc, 0);
	assert_int_equal(webdriver_go(&p->browser, p->url), 0);
}

/* A machine with `n` CPUs, all its pairs, and curves: what this one's record may lack. */
static json_t *layout(int n)
{
	json_t *cpus = json_array(), *ids = json_array(), *pairs = json_array();

	for (int a = 0; a < n; a++) {
		json_array_append_new(cpus, json_pack("[i,i,i,i,i,i,i]", a, a, 0, a / 8, 0, 0, 0));
		json_array_append_new(ids, json_integer(a));
		for (int b = 0; b < a; b++)
			json_array_append_new(pairs, json_real(a / 8 == b / 8 ? 5e-8 : 2e-7));
	}
	return json_pack("{s:o, s:{s:o, s:o}, s:[{s:s, s:[[f,f],[f,f],[f,f]]}]}", "cpus", cpus,
		"pairs", "cpus", ids, "s", pairs, "loaded", "mix", "read", "points", 0.0, 9e-8,
		2e10, 1.2e-7, 4e10, 3e-7);
}

static void save(const char *path, const struct e2e_result *r)
{
	FILE *const f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(r->out, 1, r->n_out, f), r->n_out);
	fclose(f);
}

/* Measures a program with a hostile name at two counts, which curves take, adds the machine, and
 * writes the page. */
static void make_page(struct page *p, int cpus)
{
	const char *const record = e2e_path(p->e, "r.json"), *const html = e2e_path(p->e, "r.html");
	struct e2e_result r;
	json_t *root;

	e2e_need_two_cpus("a page with curves");
	e2e_run(p->e, &r, "--cores", "1,2", "--experiments", "none", "--repeats", "5", "-o",
		"r.json", e2e_program(p->e, "scales"), "0.02", "</script><script>alert(1)</script>",
		"<img src=x onerror=alert(2)>", "=1+1");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	root = json_load_file(record, 0, NULL);
	assert_non_null(root);
	json_object_set_new(root, "layout", layout(cpus));
	assert_int_equal(json_dump_file(root, record, JSON_COMPACT), 0);
	json_decref(root);
	e2e_run(p->e, &r, "report", "--format", "html", "r.json");
	e2e_expect_status(&r, 0);
	save(html, &r);
	e2e_result_free(&r);
	snprintf(p->url, sizeof p->url, "file://%s", html);
}

/* A program half of which is serial, at one and two cores; no raw samples are kept. */
static void make_compared_page(struct page *p)
{
	struct e2e_result r;

	e2e_need_two_cpus("the page of a comparison");
	e2e_run(p->e, &r, "--cores", "1,2", "--repeats", "5", "--experiments", "none", "--html",
		"r.html", "-o", "r.json", e2e_program(p->e, "half_serial"), "0.2");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	snprintf(p->url, sizeof p->url, "file://%s", e2e_path(p->e, "r.html"));
}

static long number(struct page *p, const char *script)
{
	json_t *v = webdriver_run(&p->browser, script);
	const long n = json_is_number(v) ? lround(json_number_value(v)) : -1;

	json_decref(v);
	return n;
}

/* ms from the request to the end of the load event, the charts drawn: printed, never judged. */
static long opened_ms(struct page *p)
{
	return number(p, "return performance.getEntriesByType('navigation')[0].loadEventEnd");
}

static void every_chart_is_drawn_without_an_error_or_a_request(void **state)
{
	struct page *const p = *state;
	json_t *log, *entry;
	size_t i;

	make_page(p, 16);
	browse(p, 1200, 900);
	/* each canvas has a pixel that is not empty */
	assert_int_equal(number(p, "return [...document.querySelectorAll('canvas')].filter(c => "
				   "!c.getContext('2d').getImageData(0, 0, c.width, c.height)"
				   ".data.some(v => v)).length"),
		0);
	assert_true(number(p, "return document.querySelectorAll('canvas').length") >= 5);
	log = webdriver_log(&p->browser, "browser");
	json_array_foreach(log, i, entry)
		fail_msg("console: %s", json_string_value(json_object_get(entry, "message")));
	json_decref(log);
	log = webdriver_log(&p->browser, "performance");
	json_array_foreach(log, i, entry)
	{
		const char *const text = json_string_value(json_object_get(entry, "message"));

		if (strstr(text, "Network.requestWillBeSent\"") && strstr(text, "\"http"))
			fail_msg("a request: %.500s", text);
	}
	json_decref(log);
}

static void names_from_outside_are_text(void **state)
{
	struct page *const p = *state;

	make_page(p, 4);
	browse(p, 1200, 900);
	assert_int_equal(number(p, "return document.querySelectorAll('img').length"), 0);
	assert_int_equal(number(p, "return document.scripts.length"), 3);
	assert_int_equal(number(p, "return document.body.innerText.includes("
				   "'<img src=x onerror=alert(2)>') ? 1 : 0"),
		1);
}

static void the_keyboard_walks_through_charts_and_matrix(void **state)
{
	struct page *const p = *state;

	make_page(p, 16);
	browse(p, 1200, 900);
	assert_true(
		number(p,
			"const c = document.getElementById('chart-stack'); c.focus();"
			"c.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));"
			"return c.closest('figure').querySelector('.say').textContent.length") > 5);
	assert_int_equal(
		number(p, "const c = document.getElementById('heat'); c.focus();"
			  "c.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));"
			  "c.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));"
			  "return c.closest('figure').querySelector('.say').textContent"
			  ".includes('CPU 1 and CPU 2: 50 ns') ? 1 : 0"),
		1);
	/* hovering says the same */
	assert_true(
		number(p, "const c = document.getElementById('heat'), r = "
			  "c.getBoundingClientRect(); c.dispatchEvent(new MouseEvent('mousemove',"
			  "{clientX: r.right - 1, clientY: r.top + 1})); return "
			  "c.closest('figure').querySelector('.say').textContent.includes('CPU 0 "
			  "and CPU 15: 200 ns') ? 1 : 0") == 1);
}

/* Ticking a cause moves the curve, unticking takes it away; a page without causes has none. */
static void what_if_moves_the_curve(void **state)
{
	struct page *const p = *state;

	make_compared_page(p);
	browse(p, 1200, 900);
	if (number(p, "return document.querySelectorAll('#what-if input').length") < 1) {
		print_message("SKIP: no cause with a known gain was measured here\n");
		skip();
	}
	assert_int_equal(
		number(p,
			"const c = Chart.getChart('chart-speedup'), d = c.data.datasets[c.data."
			"datasets.length - 1], i = document.querySelector('#what-if input');"
			"const y = () => d.data.length ? d.data[d.data.length - 1].y : -1;"
			"const first = y(); i.click(); const without = y(); i.click();"
			"return first > c.data.datasets[0].data.at(-1).y && without === -1 && y() "
			"=== first ? 1 : 0"),
		1);
}

static void a_narrow_screen_does_not_scroll_sideways(void **state)
{
	struct page *const p = *state;

	make_page(p, 16);
	browse(p, 360, 740);
	assert_int_equal(number(p, "return innerWidth"), 360);
	assert_true(number(p, "return document.documentElement.scrollWidth") <= 360);
}

/* Each of the three views of the stacks, a search, and the threads' lanes by keyboard. */
static void stacks_and_lanes_can_be_explored(void **state)
{
	struct page *const p = *state;
	json_t *log;

	make_compared_page(p);
	browse(p, 1200, 900);
	if (number(p, "return document.getElementById('flame') && document.getElementById('lanes') "
		      "? 1 : 0") != 1) {
		print_message("SKIP: no samples could be taken here\n");
		skip();
	}
	assert_int_equal(
		number(p,
			"const w = document.getElementById('flame-what');"
			"return ['off', 'difference', 'cpu'].filter(v => { w.value = v;"
			"w.dispatchEvent(new Event('change'));"
			"return document.querySelectorAll('#flame button').length > 1; }).length"),
		3);
	assert_true(number(p, "const s = document.getElementById('flame-search'); s.value = 'WORK';"
			      "s.dispatchEvent(new Event('input'));"
			      "return document.querySelectorAll('#flame .hit').length") > 0);
	assert_int_equal(
		/* the whole may take as long; no two runs are made of the same stacks */
		number(p,
			"const c = document.getElementById('flame-count'), all = () => "
			"[...document.querySelectorAll('#flame button')].map(b => b.title).join();"
			"const two = all(); c.value = 0; c.dispatchEvent(new Event('change'));"
			"return all() === two ? 0 : 1"),
		1);
	assert_int_equal(
		number(p,
			"const f = document.getElementById('lanes'), c = "
			"f.querySelector('canvas'); const say = f.querySelector('.say');"
			"const key = (k) => c.dispatchEvent(new KeyboardEvent('keydown', {key: k}));"
			"key('ArrowRight'); const one = say.textContent; const all = "
			"c.toDataURL(); key('+'); key('+'); const near = c.toDataURL();"
			"f.querySelector('.whole').click();"
			"return one.includes(' at ') && all !== near && c.toDataURL() === all ? 1 "
			": 0"),
		1);
	log = webdriver_log(&p->browser, "browser");
	assert_int_equal(json_array_size(log), 0);
	json_decref(log);
}

static void one_cause_is_small_and_prints_on_three_pages(void **state)
{
	struct page *const p = *state;
	struct stat st;

	make_compared_page(p);
	assert_int_equal(stat(e2e_path(p->e, "r.html"), &st), 0);
	assert_true(st.st_size < 500000);
	browse(p, 1200, 900);
	print_message("%ld kB, opened in %ld ms\n", (long)st.st_size / 1000, opened_ms(p));
	assert_in_range(webdriver_printed_pages(&p->browser), 1, 3);
	/* headings go down one level at a time, from one h1 on */
	assert_int_equal(number(p, "const l = [...document.querySelectorAll('h1, h2, h3, h4')]"
				   ".map(h => +h.tagName[1]);"
				   "return l.filter((v, i) => v > (l[i - 1] ?? 0) + 1).length + "
				   "l.filter(v => v === 1).length"),
		1);
	/* a row of the table has the colour of its part of the chart */
	assert_int_equal(
		number(p, "const of = {}; Chart.getChart('chart-stack').data.datasets.forEach("
			  "d => of[d.label] = d.backgroundColor);"
			  "const rows = [...document.querySelectorAll('.shares tr[data-label]')];"
			  "return rows.length && rows.every(r => of[r.dataset.label] === "
			  "r.style.getPropertyValue('--family')) ? 1 : 0"),
		1);
}

static void the_page_says_what_the_json_says(void **state)
{
	struct page *const p = *state;
	struct e2e_result r;
	const json_t *point, *finding;
	const char *verdict;
	char script[512];
	size_t i;

	make_page(p, 4);
	e2e_run(p->e, &r, "report", "--format", "json", "r.json");
	e2e_expect_status(&r, 0);
	browse(p, 1200, 900);
	point = json_array_get(json_object_get(e2e_report(p->e, &r), "points"), 0);
	snprintf(script, sizeof script,
		"return Math.abs(JSON.parse(document.getElementById('data').textContent)"
		".report.points[0].wall_s.value - %.17g) < 1e-15 && "
		"Math.abs(parseFloat(document.querySelector('.first tbody td:nth-child(2)').textContent) "
		"- %.17g) < .006 ? 1 : 0",
		json_number_value(json_object_get(json_object_get(point, "wall_s"), "value")),
		json_number_value(json_object_get(json_object_get(point, "wall_s"), "value")));
	assert_int_equal(number(p, script), 1);
	json_array_foreach(json_object_get(p->e->report, "findings"), i, finding)
	{
		verdict = json_string_value(json_object_get(finding, "verdict"));
		snprintf(script, sizeof script,
			"return document.querySelector('#all-causes [data-cause=\"%s\"]')"
			".dataset.verdict === '%s' ? 1 : 0",
			json_string_value(json_object_get(finding, "cause")), verdict);
		assert_int_equal(number(p, script), 1);
	}
	e2e_result_free(&r);
}

static void two_records_are_one_page(void **state)
{
	struct page *const p = *state;
	struct e2e_result r;
	json_t *log;

	make_page(p, 4);
	e2e_run(p->e, &r, "compare", "--format", "html", "r.json", "r.json");
	e2e_expect_status(&r, 0);
	save(e2e_path(p->e, "r.html"), &r);
	e2e_result_free(&r);
	browse(p, 360, 740);
	assert_int_equal(number(p, "return [...document.querySelectorAll('canvas')].filter(c => "
				   "c.getContext('2d').getImageData(0, 0, c.width, c.height)"
				   ".data.some(v => v)).length"),
		2);
	assert_true(number(p, "return document.documentElement.scrollWidth") <= 360);
	log = webdriver_log(&p->browser, "browser");
	assert_int_equal(json_array_size(log), 0);
	json_decref(log);
}

/* The largest matrix: drawn, and its table only when somebody asks for it. */
static void a_large_machine_stays_usable(void **state)
{
	struct page *const p = *state;

	make_page(p, 256);
	browse(p, 1200, 900);
	print_message("opened in %ld ms\n", opened_ms(p));
	assert_int_equal(number(p, "return document.getElementById('heat').width"), 256);
	assert_int_equal(number(p, "return document.querySelectorAll('#heat-table td').length"), 0);
	assert_true(number(p, "return document.querySelectorAll('.cpu').length") == 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_page, close_page)
		TEST(every_chart_is_drawn_without_an_error_or_a_request),
		TEST(names_from_outside_are_text),
		TEST(the_keyboard_walks_through_charts_and_matrix),
		TEST(what_if_moves_the_curve),
		TEST(stacks_and_lanes_can_be_explored),
		TEST(a_narrow_screen_does_not_scroll_sideways),
		TEST(one_cause_is_small_and_prints_on_three_pages),
		TEST(the_page_says_what_the_json_says),
		TEST(two_records_are_one_page),
		TEST(a_large_machine_stays_usable),
#undef TEST
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
