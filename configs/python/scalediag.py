"""Reads what scalediag measured as tables: one file, to be copied.

    import scalediag
    report = scalediag.read("app.scalediag.json")     a record, or what `scalediag report --json` printed of one
    report.points()       a pandas.DataFrame: a row a core count; times, speedups, efficiencies, and the cores of each component
    report.causes()       every cause, the worst first: verdict, cores, place, what to do
    report.functions()    functions and the cores that they cost
    report.hatchet()      losses by calling context, for hatchet.GraphFrame.from_literal()

The same as lists of dicts, without pandas: report.point_rows(), report.cause_rows(), report.function_rows(). A record is analysed
by the scalediag of the PATH, or of SCALEDIAG. What was not measured is None, in a DataFrame NaN: never 0.
"""
import json
import os
import subprocess


class Report:
    def __init__(self, data):
        if not isinstance(data, dict) or data.get("schema") != 1 or "points" not in data:
            raise ValueError("no report of scalediag of schema 1")
        self.data = data

    def point_rows(self):
        rows = []
        for p in self.data["points"]:
            row = {"cores": p["cores"], "runs": p["runs"]}
            for name in ("wall_s", "speedup", "efficiency"):
                row.update(_interval(name, p[name]))
            for part in p["stack"]:
                row[part["component"]] = part["cores"]["value"]
            rows.append(row)
        return rows

    def cause_rows(self):
        rows = []
        for f in self.data["findings"]:
            where = (f.get("where") or [{}])[0]
            row = {"cause": f["cause"], "verdict": f["verdict"], **_interval("cores", f["cores"])}
            row.update({name: where.get(name) for name in ("function", "file", "line", "object")})
            row.update(advice="\n".join(f.get("advice") or []), evidence="\n".join(f.get("evidence") or []))
            rows.append(row)
        return rows

    def function_rows(self):
        names = ("function", "file", "line", "module", "in", "from", "own")
        return [{**{name: f.get(name) for name in names}, **_interval("cores", f["cores"]), **f.get("components", {})}
                for f in self.data["functions"]]

    def points(self):
        return _frame(self.point_rows())

    def causes(self):
        return _frame(self.cause_rows())

    def functions(self):
        return _frame(self.function_rows())

    def hatchet(self):
        """Trees of {"frame", "metrics", "children"}: cores lost in a context, and with all below it."""
        roots = []
        for context in (self.data.get("losses") or {}).get("contexts", []):
            level = roots
            for name in context["stack"].split(";"):
                node = next((n for n in level if n["frame"]["name"] == name), None)
                if node is None:
                    node = {"frame": {"name": name, "type": "function"}, "metrics": {"cores": 0.0, "cores (inc)": 0.0},
                            "children": []}
                    level.append(node)
                node["metrics"]["cores (inc)"] += context["cores"]
                level = node["children"]
            node["metrics"]["cores"] += context["cores"]
        return roots


def read(path):
    """The report of a record, or a printed one. OSError, ValueError, or CalledProcessError where scalediag refuses the record."""
    with open(path, encoding="utf-8") as f:
        head = f.read(4096)
    if '"scalediag-record"' in head:
        tool = os.environ.get("SCALEDIAG", "scalediag")
        text = subprocess.run([tool, "report", "--json", "--", path], check=True, stdout=subprocess.PIPE).stdout
        return Report(json.loads(text))
    with open(path, encoding="utf-8") as f:
        return Report(json.load(f))


def _interval(name, v):
    v = v or {}
    return {name: v.get("value"), name + "_low": v.get("low"), name + "_high": v.get("high")}


def _frame(rows):
    import pandas
    return pandas.DataFrame(rows)
