"use strict";
(() => {
	const data = JSON.parse(document.getElementById("data").textContent);
	const report = data.report;
	const points = report ? report.points : [];
	const charts = [], redraw = [];
	const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	const has = (v) => v && typeof v.value === "number";
	const digits = (v, n = 3) => Number(v.toPrecision(n)).toString();
	const range = (v) => has(v) ? digits(v.value) + (v.low === null ? "" : " (95 %: " + digits(v.low) + " to " + digits(v.high) + ")") : "not measured";
	/* 24 hues that stay apart for most eyes: lightness alternates */
	const hue = (i) => "hsl(" + (i * 137.508 + 205) % 360 + " 62% " + [45, 64, 54][i % 3] + "%)";
	/* A hue for each family and a shade for each of its components, by name: the same in every report. */
	const families = {
		work: ["145 55%", ["useful"]],
		growth: ["12 75%", ["growth", "instructions", "cpi-bandwidth", "cpi-llc", "cpi-dtlb", "cpi-sharing", "cpi-smt", "cpi-numa", "cpi-other", "frequency"]],
		waiting: ["215 65%", ["serial", "imbalance", "lock", "spinning", "disk", "mpi", "network", "sleep"]],
		kernel: ["280 45%", ["system", "threads"]],
		machine: ["45 75%", ["run-queue", "stolen", "throttled"]],
		unknown: ["210 8%", ["unaccounted"]],
	};
	const component = {
		lock: "hsl(222 70% 42%)", imbalance: "hsl(205 75% 66%)", serial: "hsl(226 75% 67%)", spinning: "hsl(185 60% 38%)",
		disk: "hsl(195 45% 52%)", mpi: "hsl(230 40% 76%)", network: "hsl(180 35% 66%)", sleep: "hsl(215 25% 72%)",
	};
	for (const [base, names] of Object.values(families))
		names.forEach((name, i) => { component[name] ??= "hsl(" + base + " " + (names.length < 2 ? 42 : 40 + Math.round(38 * i / (names.length - 1))) + "%)"; });
	const kinds = [...new Set(points.flatMap((p) => p.stack.map((c) => c.component)).concat(data.points ? data.points.flatMap((p) => p.stack.map((c) => c.component)) : []))];
	kinds.filter((k) => !component[k]).forEach((k, i) => { component[k] = hue(i); });
	/* a row has the colour that the chart beside it has */
	for (const row of document.querySelectorAll(".shares tr[data-component]"))
		row.style.setProperty("--family", component[row.dataset.component] ?? "");

	/* A vertical bar for the interval of each point of a data set that has `spans`. */
	const spans = {
		id: "spans",
		afterDatasetsDraw(chart) {
			const c = chart.ctx;
			chart.data.datasets.forEach((set, s) => {
				if (!set.spans || !chart.isDatasetVisible(s))
					return;
				chart.getDatasetMeta(s).data.forEach((e, i) => {
					const v = set.spans[i];
					if (!v)
						return;
					const low = chart.scales.y.getPixelForValue(v[0]), high = chart.scales.y.getPixelForValue(v[1]);
					c.save();
					c.strokeStyle = set.borderColor;
					c.beginPath();
					c.moveTo(e.x, low); c.lineTo(e.x, high);
					c.moveTo(e.x - 4, low); c.lineTo(e.x + 4, low);
					c.moveTo(e.x - 4, high); c.lineTo(e.x + 4, high);
					c.stroke();
					c.restore();
				});
			});
		},
	};

	/* Arrow keys walk through the values of a focused chart; what is under the key is also said. */
	function keys(canvas, chart) {
		let set = 0, at = -1;
		canvas.tabIndex = 0;
		canvas.addEventListener("keydown", (e) => {
			const sets = chart.data.datasets;
			if (e.key === "ArrowRight") at++;
			else if (e.key === "ArrowLeft") at--;
			else if (e.key === "ArrowDown") set++;
			else if (e.key === "ArrowUp") set--;
			else return;
			e.preventDefault();
			set = (set + sets.length) % sets.length;
			const n = sets[set].data.length;
			if (!n)
				return;
			at = (at + n) % n;
			const active = [{ datasetIndex: set, index: at }];
			const where = chart.getDatasetMeta(set).data[at];
			chart.setActiveElements(active);
			chart.tooltip.setActiveElements(active, { x: where.x, y: where.y });
			chart.update();
			const say = canvas.closest("figure").querySelector(".say");
			if (say)
				say.textContent = (chart.tooltip.title || []).concat((chart.tooltip.body || []).flatMap((b) => b.lines)).join(" · ");
		});
	}

	function theme() {
		const ink = css("--soft"), rule = css("--rule");
		for (const chart of charts) {
			for (const scale of Object.values(chart.options.scales || {})) {
				scale.ticks = Object.assign(scale.ticks || {}, { color: ink });
				scale.grid = Object.assign(scale.grid || {}, { color: rule });
				if (scale.title)
					scale.title.color = ink;
			}
			Object.assign(chart.options.plugins.legend.labels ??= {}, { color: ink });
			chart.update("none");
		}
		redraw.forEach((f) => f());
	}

	function draw(id, config) {
		const canvas = document.getElementById(id);
		if (!canvas)
			return null;
		/* one point is no curve, and its number is in the tables; a build without Chart.js has the tables alone */
		const places = new Set(config.data.datasets.flatMap((d) => d.data).map((p) => p?.x));
		if (typeof Chart === "undefined" || (config.type === "scatter" && places.size < 2)) {
			canvas.closest("figure").remove();
			return null;
		}
		config.options = Object.assign({ animation: false, responsive: true, maintainAspectRatio: false }, config.options);
		config.options.plugins = Object.assign({ legend: { labels: { boxWidth: 12 } } }, config.options.plugins);
		config.plugins = [spans];
		const chart = new Chart(canvas, config);
		charts.push(chart);
		keys(canvas, chart);
		return chart;
	}

	const cores = () => axis("cores", { beginAtZero: true, ticks: { precision: 0 } });
	const axis = (text, more) => Object.assign({ title: { display: true, text } }, more);

	function speedup() {
		const used = points.filter((p) => has(p.speedup));
		const base = used.length ? used[0].cores : 1;
		const sets = [{
			label: "speedup", borderColor: "#0969da", backgroundColor: "#0969da", showLine: true,
			data: used.map((p) => ({ x: p.cores, y: p.speedup.value })),
			spans: used.map((p) => p.speedup.low === null ? null : [p.speedup.low, p.speedup.high]),
			values: used.map((p) => p.speedup),
		}, {
			label: "ideal", borderColor: "#8c959f", backgroundColor: "#8c959f", borderDash: [6, 4], showLine: true, pointRadius: 0,
			data: used.map((p) => ({ x: p.cores, y: p.cores / base })),
		}];
		/* the envelope past the last count: two edges and what is between them */
		const told = report.prediction.counts.filter((p) => has(p.speedup));
		const last = used.find((p) => p.cores === report.prediction.past);
		if (told.length && last) {
			const from = { cores: last.cores, speedup: { value: last.speedup.value, low: last.speedup.low ?? last.speedup.value, high: last.speedup.high ?? last.speedup.value } };
			const edge = (key, fill) => ({
				label: key === "low" ? "predicted" : "predicted, at most", borderColor: "#bf8700", backgroundColor: "#bf870033", borderDash: [2, 3], showLine: true, pointRadius: 2, fill,
				data: [from].concat(told).map((p) => ({ x: p.cores, y: p.speedup[key] })),
				values: [from].concat(told).map((p) => p.speedup),
			});
			sets.push(edge("low", false), edge("high", "-1"));
		}
		/* drawn once a cause is ticked */
		const fixed = document.getElementById("what-if") && used.length > 1 && used[used.length - 1] === points[points.length - 1];
		if (fixed)
			sets.push({ label: "what if", borderColor: "#1a7f37", backgroundColor: "#1a7f37", borderWidth: 3, borderDash: [8, 3], showLine: true, data: [] });
		const chart = draw("chart-speedup", {
			type: "scatter", data: { datasets: sets },
			options: {
				scales: { x: cores(), y: axis("speedup", { beginAtZero: true }) },
				plugins: { legend: { labels: { boxWidth: 20, boxHeight: 2 } }, tooltip: { callbacks: { label: (t) => t.dataset.label + " at " + t.parsed.x + " cores: " + (t.dataset.values ? range(t.dataset.values[t.dataIndex]) : digits(t.parsed.y)) } } },
			},
		});
		if (chart && fixed)
			whatIf(chart, used);
		else if (fixed)
			document.getElementById("what-if").remove();
	}

	/*
	 * Without the ticked causes: about N / (N - their cores) times as fast at the largest count. At the others the
	 * same part of a cause's lines of the stack is taken away: what was not measured there is not known better.
	 */
	function whatIf(chart, used) {
		const box = document.getElementById("what-if");
		const set = chart.data.datasets[chart.data.datasets.length - 1];
		const last = used[used.length - 1], say = box.querySelector(".say");
		const lines = (p, number) => report.view.rows.filter((r) => r.number === number).reduce((sum, r) => {
			const c = p.stack.find((x) => x.component === r.component);
			return sum + (c && has(c.cores) ? Math.max(0, c.cores.value) : 0);
		}, 0);
		const show = () => {
			const ticked = [...box.querySelectorAll("input:checked")].map((i) => ({ number: Number(i.dataset.number), cores: last.n * (1 - 1 / Number(i.dataset.worth)) }));
			const at = (p) => {
				const lost = ticked.reduce((sum, t) => sum + (p === last ? t.cores : t.cores * lines(p, t.number) / (lines(last, t.number) || Infinity)), 0);
				return p.speedup.value * p.n / Math.max(p.n - lost, p.n * 0.01);
			};
			set.data = ticked.length ? used.map((p) => ({ x: p.cores, y: Math.min(at(p), Math.max(p.speedup.value, p.cores / used[0].cores)) })) : [];
			chart.setDatasetVisibility(chart.data.datasets.length - 1, ticked.length > 0);
			chart.update("none");
			const end = set.data[set.data.length - 1];
			say.textContent = end ? "About " + end.y.toFixed(2) + "x on " + end.x + " cores instead of " + last.speedup.value.toFixed(2) + "x." : "Tick a cause: the curve shows about what fixing it gives.";
		};
		box.hidden = false;
		box.addEventListener("change", show);
		const first = box.querySelector("input");
		first.checked = true;
		show();
	}

	const order = Object.values(families).flatMap((f) => f[1]);
	function stack() {
		const label = {};
		document.querySelectorAll("[data-component]").forEach((e) => { label[e.dataset.component] = e.dataset.label; });
		const of = (p, k) => (p.stack.find((c) => c.component === k) || {}).cores;
		/* gains make the others sum to more than there is */
		const most = Math.max(...points.map((p) => p.n));
		const top = Math.max(...points.map((p) => kinds.reduce((sum, k) => sum + (has(of(p, k)) ? Math.max(0, of(p, k).value) : 0), 0)));
		draw("chart-stack", {
			type: "bar",
			data: {
				labels: points.map((p) => p.cores + (p.cores === 1 ? " core" : " cores")),
				datasets: kinds.sort((a, b) => order.indexOf(a) - order.indexOf(b)).filter((k) => points.some((p) => has(of(p, k)) && Math.abs(of(p, k).value) >= 0.005)).map((k) => ({
					label: label[k] || k, backgroundColor: component[k], component: k,
					data: points.map((p) => has(of(p, k)) ? of(p, k).value : null),
				})),
			},
			options: {
				scales: { x: { stacked: true }, y: axis("cores", { stacked: true, max: top > most * 1.001 ? undefined : most }) },
				plugins: {
					tooltip: {
						callbacks: {
							label: (t) => t.dataset.label + ": " + range(of(points[t.dataIndex], t.dataset.component)) + " cores",
							afterLabel: (t) => {
								const cause = data.cause[t.dataset.component];
								const f = cause && t.dataIndex === points.length - 1 && report.findings.find((x) => x.cause === cause);
								return f && f.evidence.length && f.verdict !== "ruled-out" && f.verdict !== "not-measurable" ? f.verdict + ": " + f.evidence[0] : "";
							},
						},
					},
				},
			},
		});
	}

	function runs() {
		const names = ["warm-up, discarded", "measured", "drift check", "experiment", "simulated"];
		const colours = ["#8c959f", "#0969da", "#9a6700", "#8250df", "#1a7f37"];
		draw("chart-runs", {
			type: "scatter",
			data: {
				datasets: names.map((label, i) => ({
					label, backgroundColor: colours[i], borderColor: colours[i],
					data: data.runs.filter((r) => r[2] === i).map((r) => ({ x: r[3], y: r[1], cores: r[0] })),
				})).filter((s) => s.data.length),
			},
			options: {
				scales: { x: axis("s since the first run"), y: axis(data.work ? "s for the same work" : "wall s", { beginAtZero: true }) },
				plugins: { tooltip: { callbacks: { label: (t) => t.raw.cores + " cores: " + digits(t.raw.y, 4) + " s, " + t.dataset.label } } },
			},
		});
	}

	/* Memory traffic that was counted or simulated; nothing else stands for it. */
	const measured = () => points.map((p) => [p.cores, p.metrics.find((m) => m.name === "memory-bandwidth" && m.unit === "bytes/s")]).filter((x) => x[1] && has(x[1]));

	function bandwidth() {
		const ceilings = report.calibration ? report.calibration.ceilings : [];
		const seen = measured();
		const sets = [{
			label: "ceiling of this node", borderColor: "#cf222e", backgroundColor: "#cf222e", showLine: true,
			data: ceilings.filter((c) => c.bandwidth_bytes_per_s !== null).map((c) => ({ x: c.cores, y: c.bandwidth_bytes_per_s / 1e9 })),
		}];
		if (seen.length)
			sets.push({
				label: "the program", borderColor: "#0969da", backgroundColor: "#0969da", showLine: true,
				data: seen.map(([n, m]) => ({ x: n, y: m.value / 1e9 })),
			});
		draw("chart-bandwidth", {
			type: "scatter", data: { datasets: sets },
			options: {
				scales: { x: cores(), y: axis("GB/s (1e9)", { beginAtZero: true }) },
				plugins: { tooltip: { callbacks: { label: (t) => t.dataset.label + " at " + t.parsed.x + " cores: " + digits(t.parsed.y) + " GB/s" } } },
			},
		});
	}

	function loaded() {
		const seen = measured();
		const sets = data.loaded.map((c, i) => ({
			label: "reads:writes " + c.mix, borderColor: hue(i), backgroundColor: hue(i), showLine: true,
			data: c.points.map((q) => ({ x: q[0] / 1e9, y: q[1] * 1e9 })),
		}));
		const top = Math.max(1, ...sets.flatMap((s) => s.data.map((q) => q.y)));
		seen.forEach(([n, m]) => sets.push({
			label: n + " cores of the program", borderColor: "#57606a", backgroundColor: "#57606a", borderDash: [3, 3], showLine: true, pointRadius: 0,
			data: [0, top].map((y) => ({ x: m.value / 1e9, y })),
		}));
		/* where the program's traffic meets the first curve */
		const curve = data.loaded.length ? data.loaded[0].points : [];
		seen.forEach(([n, m]) => {
			const i = curve.findIndex((q, k) => k && q[0] >= m.value && curve[k - 1][0] <= m.value);
			if (i < 1)
				return;
			const [a, b] = [curve[i - 1], curve[i]], part = b[0] > a[0] ? (m.value - a[0]) / (b[0] - a[0]) : 0;
			sets.push({
				label: n + " cores: the program", borderColor: "#cf222e", backgroundColor: "#cf222e", pointRadius: 6,
				data: [{ x: m.value / 1e9, y: (a[1] + part * (b[1] - a[1])) * 1e9 }],
			});
		});
		draw("chart-loaded", {
			type: "scatter", data: { datasets: sets },
			options: {
				scales: { x: axis("GB/s of the other cores", { beginAtZero: true }), y: axis("latency of a load, ns", { beginAtZero: true }) },
				plugins: { tooltip: { callbacks: { label: (t) => t.dataset.label + ": " + digits(t.parsed.x) + " GB/s, " + digits(t.parsed.y) + " ns" } } },
			},
		});
	}

	/* The line-transfer matrix: one canvas pixel a pair. */
	function heat() {
		const canvas = document.getElementById("heat");
		if (!canvas)
			return;
		const cpus = data.pairs.cpus, n = cpus.length, known = data.pairs.s.filter((v) => v !== null);
		const low = known.reduce((a, b) => Math.min(a, b), Infinity), high = known.reduce((a, b) => Math.max(a, b), 0);
		const at = (a, b) => a === b ? null : a > b ? data.pairs.s[a * (a - 1) / 2 + b] : data.pairs.s[b * (b - 1) / 2 + a];
		const c = canvas.getContext("2d");
		const say = canvas.closest("figure").querySelector(".say");
		let x = 0, y = 1;
		canvas.width = canvas.height = n;
		canvas.style.width = "min(100%, " + Math.max(8, Math.min(32, 2 * n)) + "rem)";
		for (let a = 0; a < n; a++)
			for (let b = 0; b < n; b++) {
				const v = at(a, b);
				const part = v === null ? 0 : high > low ? (v - low) / (high - low) : 0.5;
				c.fillStyle = v === null ? "#8c959f" : "hsl(" + (210 - 210 * part) + " 70% " + (75 - 35 * part) + "%)";
				c.fillRect(b, a, 1, 1);
			}
		const tell = () => {
			const v = at(y, x);
			say.textContent = "CPU " + cpus[y] + " and CPU " + cpus[x] + ": " + (v === null ? y === x ? "the same" : "not measured" : digits(v * 1e9) + " ns");
		};
		canvas.addEventListener("mousemove", (e) => {
			const r = canvas.getBoundingClientRect();
			x = Math.min(n - 1, Math.max(0, Math.floor((e.clientX - r.left) / r.width * n)));
			y = Math.min(n - 1, Math.max(0, Math.floor((e.clientY - r.top) / r.height * n)));
			tell();
		});
		canvas.tabIndex = 0;
		canvas.addEventListener("keydown", (e) => {
			const d = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
			if (!d)
				return;
			e.preventDefault();
			x = (x + d[0] + n) % n;
			y = (y + d[1] + n) % n;
			tell();
		});
		const details = document.getElementById("heat-table");
		details.addEventListener("toggle", () => {
			if (!details.open || details.dataset.done)
				return;
			details.dataset.done = "1";
			const table = document.createElement("table");
			const row = (cells, tag) => {
				const tr = table.insertRow();
				cells.forEach((text, i) => {
					const cell = document.createElement(i && tag !== "th" ? "td" : "th");
					cell.textContent = text;
					tr.append(cell);
				});
			};
			row(["CPU, ns"].concat(cpus), "th");
			cpus.forEach((cpu, a) => row([cpu].concat(cpus.map((_, b) => at(a, b) === null ? "" : digits(at(a, b) * 1e9)))));
			details.querySelector(".scroll").append(table);
		});
	}

	/* of a moment of a thread: as the component that its time goes to */
	const kindColour = { work: component.useful, spin: component.spinning, lock: component.lock, barrier: component.imbalance, "no-cpu": component["run-queue"], io: component.disk, kernel: component.system, other: component.sleep, none: "transparent" };
	const kindLabel = { work: "running", spin: "spinning", lock: "lock", barrier: "barrier or another thread", "no-cpu": "no CPU", io: "I/O", kernel: "kernel", other: "other wait" };

	/* Flame graphs: of the CPU time or the waits of a count, or how the CPU time differs from the smallest one. */
	function flame() {
		const box = document.getElementById("flame"), stacks = data.stacks;
		if (!box)
			return;
		const what = document.getElementById("flame-what"), count = document.getElementById("flame-count");
		const search = document.getElementById("flame-search"), note = document.getElementById("flame-note");
		const say = box.closest("figure").querySelector(".say");
		stacks.points.forEach((p, i) => count.append(new Option(p.cores + (p.cores === 1 ? " core" : " cores"), i)));
		count.value = stacks.points.length - 1;
		if (stacks.points.length < 2)
			what.options[2].disabled = true;
		const waits = (a) => !["work", "spin", "kernel"].includes(stacks.activities[a][1]);
		/* [function names from the outermost, what it did] of a row */
		const path = (node, activity) => {
			const out = [];
			for (let n = node; n > 0; n = stacks.nodes[n][0])
				out.push(stacks.names[stacks.nodes[n][1]]);
			out.reverse();
			if (stacks.activities[activity][1] !== "work")
				out.push("[" + stacks.activities[activity][0] + "]");
			return out;
		};
		const make = () => {
			const root = { name: "all", before: 0, after: 0, kinds: {}, kids: new Map(), up: null };
			const add = (point, key, off) => {
				for (const [n, activity, us] of point.rows) {
					if (waits(activity) !== off)
						continue;
					const kind = stacks.activities[activity][1];
					let node = root;
					for (const name of [null].concat(path(n, activity))) {
						if (name !== null) {
							if (!node.kids.has(name))
								node.kids.set(name, { name, before: 0, after: 0, kinds: {}, kids: new Map(), up: node });
							node = node.kids.get(name);
						}
						node[key] += us;
						node.kinds[kind] = (node.kinds[kind] || 0) + us;
					}
				}
			};
			add(stacks.points[count.value], "after", what.value === "off");
			if (what.value === "difference")
				add(stacks.points[0], "before", false);
			return root;
		};
		let root = make(), top = root;
		const wide = (n) => Math.max(n.before, n.after);
		const time = (us) => digits(us / 1e6) + " s";
		const words = (n) => n.name + ": " + time(n.after) + (what.value === "difference" ? " at " + count.selectedOptions[0].text + ", " + time(n.before) + " at " + stacks.points[0].cores : " of thread time a run, " + digits(100 * n.after / (root.after || 1)) + " %");
		const colour = (n) => {
			if (what.value === "difference") {
				const d = (n.after - n.before) / (wide(root) || 1);
				return "hsl(" + (d > 0 ? 5 : 215) + " 85% " + (90 - 45 * Math.min(1, Math.abs(d) * 3)) + "%)";
			}
			const most = Object.keys(n.kinds).reduce((a, b) => n.kinds[b] > (n.kinds[a] || 0) ? b : a, "other");
			return "color-mix(in srgb, " + kindColour[most] + " 55%, white)";
		};
		const show = (focus) => {
			const width = box.clientWidth, list = document.createDocumentFragment(), wanted = search.value.toLowerCase();
			let depth = 0, first = null, found = 0;
			const place = (n, x, w, y, inside) => {
				if (w < 2)
					return;
				const b = document.createElement("button"), hit = wanted !== "" && n.name.toLowerCase().includes(wanted);
				if (hit && !inside)
					found += n.after;
				b.type = "button";
				b.textContent = w > 24 ? n.name : "";
				b.title = words(n);
				b.setAttribute("aria-label", words(n));
				b.className = hit ? "hit" : "";
				b.style.cssText = "left:" + x + "px;width:" + w + "px;top:" + y * 18 + "px;background:" + colour(n);
				b.addEventListener("click", () => { top = n === top && n.up ? n.up : n; show(true); });
				b.addEventListener("focus", () => { say.textContent = words(n); });
				b.addEventListener("mouseenter", () => { say.textContent = words(n); });
				first = first || b;
				list.append(b);
				depth = Math.max(depth, y + 1);
				const kids = [...n.kids.values()].sort((a, c) => wide(c) - wide(a));
				const sum = kids.reduce((s, k) => s + wide(k), 0);
				let at = x;
				for (const k of kids) {
					const part = wide(k) / Math.max(sum, wide(n) || 1) * w;
					place(k, at, part, y + 1, inside || hit);
					at += part;
				}
			};
			place(top, 0, width, 0, false);
			box.replaceChildren(list);
			box.style.height = depth * 18 + "px";
			const point = stacks.points[count.value];
			note.textContent = (wanted ? digits(100 * found / (top.after || 1)) + " % in functions that match. " : "") + (what.value === "difference" ? "Red grew from " + stacks.points[0].cores + " to " + count.selectedOptions[0].text + ", blue shrank. " : "") + (what.value === "cpu" ? "Green ran, violet is the kernel, turquoise spun. " : "") + "Enter or a click zooms in, the top one zooms out." + (point.left_out_us > 0.001 * root.after ? " Rare stacks of " + time(point.left_out_us) + " are left out." : "");
			if (wide(top) === 0)
				note.textContent = "Nothing was sampled here.";
			if (focus && first)
				first.focus();
		};
		const anew = () => { root = top = make(); show(false); };
		what.addEventListener("change", anew);
		count.addEventListener("change", anew);
		search.addEventListener("input", () => show(false));
		addEventListener("resize", () => show(false));
		show(false);
	}

	/* A lane a thread; above them where exactly one thread runs. */
	function timeline() {
		const figure = document.getElementById("lanes"), stacks = data.stacks;
		if (!figure)
			return;
		const canvas = figure.querySelector("canvas"), c = canvas.getContext("2d"), count = figure.querySelector(".count");
		const say = figure.querySelector(".say"), key = figure.querySelector(".key");
		const left = 96, strip = 14;
		let run, from, to, high, at = null;
		stacks.runs.forEach((r, i) => count.append(new Option(r.cores + (r.cores === 1 ? " core" : " cores"), i)));
		count.value = stacks.runs.length - 1;
		for (const kind of Object.keys(kindLabel)) {
			const swatch = document.createElement("span"), text = document.createElement("span");
			swatch.className = "swatch";
			swatch.style.background = kindColour[kind];
			text.textContent = kindLabel[kind] + "  ";
			key.append(swatch, text);
		}
		/* which step each bin belongs to, once a run */
		const open = () => {
			run = stacks.runs[count.value];
			from = 0;
			to = run.bins;
			high = Math.max(3, Math.min(18, Math.floor(900 / Math.max(1, run.threads.length))));
			run.cells = run.cells || run.threads.map((t) => t.steps.flatMap((s) => Array(s[0]).fill(run.doings[s[1]])));
			run.alone = run.alone || Array.from({ length: run.bins }, (_, b) => run.cells.filter((cells) => cells[b] && ["work", "kernel"].includes(stacks.activities[cells[b][0]][1])).length === 1);
		};
		const seconds = (bin) => digits(run.length_ns / 1e9 * bin / run.bins, 4) + " s";
		const draw = () => {
			const width = Math.max(200, figure.clientWidth), ratio = devicePixelRatio || 1, height = strip * 2 + run.threads.length * (high + 1) + 4;
			canvas.width = width * ratio;
			canvas.height = height * ratio;
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
			c.setTransform(ratio, 0, 0, ratio, 0, 0);
			c.font = "11px system-ui, sans-serif";
			const px = (bin) => left + (bin - from) / (to - from) * (width - left);
			c.fillStyle = css("--soft");
			c.fillText("one thread", 0, strip - 3);
			for (let b = Math.floor(from); b < Math.min(run.bins, to); b++)
				if (run.alone[b] && run.threads.length > 1) {
					c.fillStyle = css("--doubt");
					c.fillRect(Math.max(left, px(b)), 4, px(b + 1) - Math.max(left, px(b)) + 0.5, strip - 6);
				}
			run.threads.forEach((t, i) => {
				const y = strip + i * (high + 1);
				let bin = 0;
				for (const s of t.steps) {
					const a = Math.max(left, px(bin)), b = px(bin + s[0]);
					bin += s[0];
					if (b <= left || a >= width)
						continue;
					c.fillStyle = kindColour[stacks.activities[run.doings[s[1]][0]][1]];
					c.fillRect(a, y, Math.max(0.5, b - a), high);
				}
				if (high >= 9) {
					c.fillStyle = css("--ink");
					c.fillText(t.name.slice(0, 14), 0, y + high - 3);
				}
			});
			c.fillStyle = css("--soft");
			const low = strip + run.threads.length * (high + 1) + 11;
			c.fillText(seconds(from), left, low);
			c.textAlign = "right";
			c.fillText(seconds(to), width, low);
			c.textAlign = "left";
			if (at) {
				c.strokeStyle = css("--accent");
				c.strokeRect(px(at.bin), strip + at.lane * (high + 1) - 0.5, Math.max(2, px(at.bin + 1) - px(at.bin)), high + 1);
			}
		};
		const tell = (lane, bin) => {
			const t = run.threads[lane], s = t && run.cells[lane][bin];
			if (!s)
				return;
			at = { lane, bin };
			say.textContent = t.name + " (" + t.tid + ") at " + seconds(bin) + ": " + stacks.activities[s[0]][0] + (s[2] ? ", lock " + stacks.words[s[2]] : "") + (s[1] ? ", in " + stacks.words[s[1]] : "") + (run.more ? " · " + run.more + " more threads are not drawn" : "");
		};
		const zoom = (factor, centre) => {
			const span = Math.min(run.bins, Math.max(4, (to - from) * factor));
			from = Math.max(0, Math.min(run.bins - span, centre - (centre - from) * span / (to - from)));
			to = from + span;
			draw();
		};
		const move = (by) => {
			const span = to - from;
			from = Math.max(0, Math.min(run.bins - span, from + by));
			to = from + span;
			draw();
		};
		const spot = (e) => {
			const r = canvas.getBoundingClientRect();
			return { bin: from + (e.clientX - r.left - left) / (r.width - left) * (to - from), lane: Math.floor((e.clientY - r.top - strip) / (high + 1)) };
		};
		let held = null;
		canvas.tabIndex = 0;
		canvas.addEventListener("wheel", (e) => { if (e.ctrlKey || e.deltaX) return; e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : 0.8, spot(e).bin); }, { passive: false });
		canvas.addEventListener("pointerdown", (e) => { held = e.clientX; canvas.setPointerCapture(e.pointerId); });
		canvas.addEventListener("pointerup", () => { held = null; });
		canvas.addEventListener("pointermove", (e) => {
			if (held !== null) {
				move((held - e.clientX) / (canvas.clientWidth - left) * (to - from));
				held = e.clientX;
				return;
			}
			const p = spot(e);
			tell(p.lane, Math.floor(p.bin));
			draw();
		});
		canvas.addEventListener("keydown", (e) => {
			const now = at || { lane: 0, bin: Math.floor((from + to) / 2) }, step = Math.max(1, Math.round((to - from) / 50));
			if (e.key === "+" || e.key === "=") zoom(0.5, now.bin);
			else if (e.key === "-") zoom(2, now.bin);
			else if (e.key === "ArrowLeft" || e.key === "ArrowRight") tell(now.lane, Math.max(0, Math.min(run.bins - 1, now.bin + (e.key === "ArrowLeft" ? -step : step))));
			else if (e.key === "ArrowUp" || e.key === "ArrowDown") tell(Math.max(0, Math.min(run.threads.length - 1, now.lane + (e.key === "ArrowUp" ? -1 : 1))), now.bin);
			else return;
			e.preventDefault();
			if (at && (at.bin < from || at.bin >= to))
				move(at.bin < from ? at.bin - from : at.bin - to + 1);
			draw();
		});
		figure.querySelector(".whole").addEventListener("click", () => { from = 0; to = run.bins; draw(); });
		count.addEventListener("change", () => { at = null; open(); draw(); });
		addEventListener("resize", draw);
		open();
		draw();
		redraw.push(draw);
	}

	/* Two records: the times, and both stacks beside each other, in core-seconds. */
	function comparison() {
		const label = {};
		document.querySelectorAll("[data-component]").forEach((e) => { label[e.dataset.component] = e.dataset.label; });
		const labels = data.points.map((p) => p.cores + (p.cores === 1 ? " core" : " cores"));
		const spans = (key) => data.points.map((p) => p[key].low === null ? null : [p[key].low, p[key].high]);
		draw("chart-times", {
			type: "bar",
			data: {
				labels,
				datasets: [["before", "wall_before_s", "#8c959f"], ["after", "wall_after_s", "#0969da"]].map(([name, key, colour]) => ({
					label: name, key, backgroundColor: colour, borderColor: css("--ink"), spans: spans(key), data: data.points.map((p) => p[key].value),
				})),
			},
			options: {
				scales: { y: axis("wall s", { beginAtZero: true, suggestedMax: Math.max(...data.points.flatMap((p) => [p.wall_before_s, p.wall_after_s]).map((v) => v.high ?? v.value ?? 0)) }) },
				plugins: { tooltip: { callbacks: { label: (t) => t.dataset.label + ": " + range(data.points[t.dataIndex][t.dataset.key]) + " s" } } },
			},
		});
		const of = (p, k, key) => (p.stack.find((c) => c.component === k) || {})[key];
		draw("chart-sides", {
			type: "bar",
			data: {
				labels,
				datasets: ["before_core_s", "after_core_s"].flatMap((key, side) => kinds.filter((k) => data.points.some((p) => has(of(p, k, key)) && of(p, k, key).value !== 0)).map((k) => ({
					label: (label[k] || k) + (side ? ", after" : ", before"), stack: key, backgroundColor: component[k],
					data: data.points.map((p) => has(of(p, k, key)) ? of(p, k, key).value : null),
				}))),
			},
			options: {
				scales: { x: { stacked: true }, y: axis("core-seconds a run", { stacked: true }) },
				plugins: { legend: { display: false } },
			},
		});
	}

	function button() {
		const b = document.getElementById("theme");
		b.hidden = false;
		b.addEventListener("click", () => {
			const root = document.documentElement;
			const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
			root.dataset.theme = dark ? "light" : "dark";
			theme();
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
	}

	for (const part of report ? [button, speedup, stack, runs, bandwidth, loaded, heat, flame, timeline] : [button, comparison])
		part();
	theme();
	addEventListener("beforeprint", () => {
		document.documentElement.dataset.theme = "light";
		theme();
		/* many names leave a small chart no room, and the table beside it has them */
		charts.filter((c) => c.data.datasets.length > 4).forEach((c) => { c.options.plugins.legend.display = false; c.update("none"); });
		charts.forEach((c) => c.resize());
	});
	document.documentElement.dataset.drawn = String(charts.length);
})();
