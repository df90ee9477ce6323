/*
 * A browser for tests: Chromium without a window, told what to do by chromedriver (W3C WebDriver).
 */
#ifndef WEBDRIVER_H
#define WEBDRIVER_H

#include <jansson.h>
#include <sys/types.h>

struct webdriver {
	pid_t pid; /* chromedriver; 0 none */
	int port;
	char session[128];
};

/* Starts a browser of this many CSS pixels. 0; -ENOENT when chromium or chromedriver is not
 * installed; -EIO with a word on stderr. */
int webdriver_open(struct webdriver *w, int width, int height);
void webdriver_close(struct webdriver *w); /* accepts the zeroed value */

/* Loads a page; 0 or -EIO. */
int webdriver_go(struct webdriver *w, const char *url);

/* Runs a function body ("return 1 + 1") and returns its value; a new reference or NULL. */
json_t *webdriver_run(struct webdriver *w, const char *script);

/* The console's messages, or what the browser's own protocol logged ("performance"), since the last
 * call; a new reference or NULL. */
json_t *webdriver_log(struct webdriver *w, const char *type);

/* Any command below the session: method, path such as "/chromium/send_command"; the
 * answer's value. */
json_t *webdriver_command(struct webdriver *w, const char *path, json_t *body);

/* Pages of A4 that the browser prints of what it shows. */
unsigned webdriver_printed_pages(struct webdriver *w);

#endif
