# awk -f tables.awk include/record/cause.h include/record/experiment.h PAGE.scd: the page, with the rows of both tables of names
# where it says @CAUSES@ and @EXPERIMENTS@.

function entry(name, text,    n, i, word, line, out) {
	gsub(/_/, "\\_", text)
	n = split(text, word, " ")
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line) + 1 + length(word[i]) > 65) {
			out = out "\t" line "\n"
			line = ""
		}
		line = line == "" ? word[i] : line " " word[i]
	}
	return "*" name "*\n" out "\t" line "\n\n"
}

function row(    q, n, i, text, at) {
	n = split(X, q, "\"")
	for (i = 4; i < n; i += 2)
		text = text q[i]
	if (file == 1) {
		causes = causes entry(q[2], text)
	} else if (split(q[3], at, /, */) > 2) {
		text = text "; at count: " (at[2] ~ /REFERENCE/ ? "smallest" : at[2] ~ /LARGEST/ ? "largest" : "both")
		experiments = experiments entry(q[2], text "; a changed run: " (at[3] > 0 ? at[3] " ×" : "a second, no program"))
	}
	X = ""
}

FNR == 1 { file++ }
file < 3 && /^\tX\(/ { row_open = 1 }
file < 3 && row_open {
	X = X $0
	if ($0 ~ /\)[ \t]*\\?$/) {
		row()
		row_open = 0
	}
}
file < 3 { next }
/^@CAUSES@$/ { printf "%s", causes; next }
/^@EXPERIMENTS@$/ { printf "%s", experiments; next }
1
