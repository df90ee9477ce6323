#include "support/webdriver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* chromedriver says on which port it listens. */
static int read_port(int fd)
{
	char text[4096];
	size_t n = 0;

	while (n < sizeof text - 1) {
		const ssize_t got = read(fd, text + n, sizeof text - 1 - n);
		const char *at;

		if (got <= 0)
			return -1;
		n += (size_t)got;
		text[n] = '\0';
		at = strstr(text, "successfully on port ");
		if (at && strchr(at, '.'))
			return atoi(at + strlen("successfully on port "));
	}
	return -1;
}

static int start(struct webdriver *w)
{
	int pipe_fd[2];

	if (pipe(pipe_fd) != 0)
		return -errno;
	w->pid = fork();
	if (w->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		dup2(pipe_fd[1], 1);
		close(pipe_fd[0]);
		execlp("chromedriver", "chromedriver", "--port=0", (char *)NULL);
		_exit(127);
	}
	close(pipe_fd[1]);
	w->port = read_port(pipe_fd[0]);
	/* its later words go nowhere, and must not stop it: the pipe stays open until it ends */
	if (w->port > 0)
		return 0;
	close(pipe_fd[0]);
	return -ENOENT;
}

static int send_all(int fd, const char *text, size_t n)
{
	while (n > 0) {
		const ssize_t done = send(fd, text, n, MSG_NOSIGNAL);

		if (done <= 0)
			return -EIO;
		text += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Is the answer whole, as its Content-Length says? */
static int whole(const char *text, size_t n)
{
	static const char key[] = "content-length:";
	const char *const body = strstr(text, "\r\n\r\n");
	const char *const length = body ? strcasestr(text, key) : NULL;

	return length &&
	       n >= (size_t)(body + 4 - text) + strtoul(length + sizeof key - 1, NULL, 10);
}

/* One answer; a fresh string or NULL. */
static char *receive(int fd)
{
	char *text = NULL;
	size_t n = 0;

	do {
		char *const bigger = realloc(text, n + 65537);
		const ssize_t got = bigger ? recv(fd, bigger + n, 65536, 0) : -1;

		text = bigger ? bigger : text;
		if (got <= 0) {
			free(text);
			return NULL;
		}
		n += (size_t)got;
		text[n] = '\0';
	} while (!whole(text, n));
	return text;
}

static char *request(int port, const char *path, const char *body)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct timeval patience = {.tv_sec = 60};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char head[512], *answer = NULL;
	const int n = snprintf(head, sizeof head,
		"POST %s HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n"
		"Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
		path, port, strlen(body));

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 &&
		send_all(fd, head, (size_t)n) == 0 && send_all(fd, body, strlen(body)) == 0)
		answer = receive(fd);
	if (fd >= 0)
		close(fd);
	return answer;
}

/* Takes `body`. The member "value" of the answer. */
static json_t *post(const struct webdriver *w, const char *path, json_t *body)
{
	char *const text = body ? json_dumps(body, 0) : NULL;
	char *const answer = text ? request(w->port, path, text) : NULL;
	const char *const start_of = answer ? strstr(answer, "\r\n\r\n") : NULL;
	json_t *root = start_of ? json_loads(start_of + 4, 0, NULL) : NULL;
	json_t *value = json_incref(json_object_get(root, "value"));

	if (json_is_object(value) && json_object_get(value, "error")) {
		fprintf(stderr, "chromedriver: %s: %.400s\n", path,
			json_string_value(json_object_get(value, "message")));
		json_decref(value);
		value = NULL;
	}
	json_decref(root);
	json_decref(body);
	free(text);
	free(answer);
	return value;
}

json_t *webdriver_command(struct webdriver *w, const char *path, json_t *body)
{
	char whole[512];

	snprintf(whole, sizeof whole, "/session/%s%s", w->session, path);
	return post(w, whole, body);
}

int webdriver_open(struct webdriver *w, int width, int height)
{
	json_t *value;
	int rc;

	*w = (struct webdriver){0};
	rc = start(w);
	if (rc)
		goto bad;
	value = post(w, "/session",
		json_pack("{s:{s:{s:{s:[s,s,s,s], s:{s:{s:i, s:i, s:f}}}, s:{s:s, s:s}}}}",
			"capabilities", "alwaysMatch", "goog:chromeOptions", "args",
			"--headless=new", "--no-sandbox", "--disable-gpu",
			"--disable-dev-shm-usage", "mobileEmulation", "deviceMetrics", "width",
			width, "height", height, "pixelRatio", 1.0, "goog:loggingPrefs", "browser",
			"ALL", "performance", "ALL"));
	if (json_is_string(json_object_get(value, "sessionId")))
		snprintf(w->session, sizeof w->session, "%s",
			json_string_value(json_object_get(value, "sessionId")));
	json_decref(value);
	rc = *w->session ? 0 : -EIO;
bad:
	if (rc)
		webdriver_close(w);
	return rc;
}

void webdriver_close(struct webdriver *w)
{
	if (w->pid > 0) {
		/* the browser is in its group */
		kill(-w->pid, SIGTERM);
		kill(-w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
	}
	*w = (struct webdriver){0};
}

int webdriver_go(struct webdriver *w, const char *url)
{
	json_t *value = webdriver_command(w, "/url", json_pack("{s:s}", "url", url));

	json_decref(value);
	return value ? 0 : -EIO;
}

json_t *webdriver_run(struct webdriver *w, const char *script)
{
	return webdriver_command(
		w, "/execute/sync", json_pack("{s:s, s:[]}", "script", script, "args"));
}

json_t *webdriver_log(struct webdriver *w, const char *type)
{
	return webdriver_command(w, "/se/log", json_pack("{s:s}", "type", type));
}

/* Decodes base64; returns the bytes written, fewer than the text has. */
static size_t decode_base64(const char *text, unsigned char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, have = 0;
	size_t n = 0;

	for (; *text; text++) {
		const char *const digit = strchr(digits, *text);

		if (!digit)
			continue;
		bits = bits << 6 | (unsigned)(digit - digits);
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[n++] = (unsigned char)(bits >> have & 0xff);
		}
	}
	return n;
}

unsigned webdriver_printed_pages(struct webdriver *w)
{
	json_t *const v = webdriver_command(
		w, "/print", json_pack("{s:{s:f, s:f}}", "page", "width", 21.0, "height", 29.7));
	const char *const text = json_string_value(v);
	unsigned char *pdf;
	unsigned n = 0;
	size_t size;

	assert_non_null(text);
	pdf = malloc(strlen(text));
	assert_non_null(pdf);
	size = decode_base64(text, pdf);
	for (size_t i = 0; i + 12 < size; i++)
		n += memcmp(&pdf[i], "/Type /Page", 11) == 0 && pdf[i + 11] != 's';
	free(pdf);
	json_decref(v);
	return n;
}
