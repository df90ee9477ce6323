#include "html/html_sections.h"

/* Texts of assets/ and Debian's Chart.js, as the build found them. */
extern const char sd_asset_css[], sd_asset_css_end[], sd_asset_js[], sd_asset_js_end[],
	sd_asset_chart[], sd_asset_chart_end[];

static void put_asset(FILE *f, const char *from, const char *end)
{
	fwrite(from, 1, (size_t)(end - from), f);
}

/* Nothing is loaded from anywhere: the policy says so to the browser. */
void sd_html_head(FILE *f, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"generator\" content=\"scalediag " SD_VERSION "\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
		f);
	sd_html_text(f, title);
	fputs(" · scalediag</title>\n<style>\n", f);
	put_asset(f, sd_asset_css, sd_asset_css_end);
	fputs("</style>\n</head>\n<body>\n", f);
}

void sd_html_chart(FILE *f, const char *id, const char *title)
{
	fprintf(f,
		"<figure><figcaption>%s</figcaption><div class=\"chart\"><canvas id=\"chart-%s\" "
		"role=\"img\" aria-label=\"%s; the numbers are in the tables\"></canvas></div>"
		"<p class=\"say\" aria-live=\"polite\"></p></figure>\n",
		title, id, title);
}

void sd_html_scripts(FILE *f)
{
	fputs("</main>\n<script type=\"application/json\" id=\"data\">", f);
}

void sd_html_end(FILE *f)
{
	fputs("</script>\n<script>\n", f);
	put_asset(f, sd_asset_chart, sd_asset_chart_end);
	fputs("\n</script>\n<script>\n", f);
	put_asset(f, sd_asset_js, sd_asset_js_end);
	fputs("</script>\n</body>\n</html>\n", f);
}

/* As compact JSON without a '<', which stands inside strings only: no text can end the script. */
void sd_html_json(FILE *f, const char *json)
{
	for (int inside = 0; *json; json++) {
		if (inside && *json == '\\') {
			fputc(*json++, f);
			fputc(*json, f);
			continue;
		}
		inside ^= *json == '"';
		if (*json == '<')
			fputs("\\u003c", f);
		else if (inside || (*json != ' ' && *json != '\n'))
			fputc(*json, f);
	}
}
