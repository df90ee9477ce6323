#include "fix/fix_section.h"

#include <stdio.h>
#include <string.h>

#include "fix/c_statements.h"

/* Does the word name the function: itself, or a macro whose every definition is a function of the
 * table that takes a lock which `leave` gives back? */
static int takes(const struct sd_fix_case *c, const struct sd_c_tokens *t, size_t i,
	const struct sd_fix_lock *lock)
{
	int found = 0;

	if (sd_c_tokens_is(t, i, lock->enter))
		return 1;
	for (size_t k = 0; k < t->n; k++) {
		size_t name, length, body, end = t->token[k].at + t->token[k].length;
		int known = 0;

		if (sd_c_statement_macro(t, k, &name, &length, &body) != 0 ||
			length != t->token[i].length ||
			memcmp(t->text + name, t->text + t->token[i].at, length) != 0)
			continue;
		while (body < end && strchr(" \t", t->text[body]))
			body++;
		while (end > body && strchr(" \t\r", t->text[end - 1]))
			end--;
		for (size_t w = 0; w < c->locks->n; w++)
			known |= strlen(c->locks->row[w].enter) == end - body &&
				 strcmp(c->locks->row[w].leave, lock->leave) == 0 &&
				 memcmp(c->locks->row[w].enter, t->text + body, end - body) == 0;
		if (!known)
			return 0;
		found = 1;
	}
	return found;
}

/* The tokens of the first argument of the call at i. */
static size_t argument(const struct sd_c_tokens *t, size_t i)
{
	const size_t end = sd_c_tokens_end(t, i + 1);
	size_t k = i + 2;

	while (k < end && !sd_c_tokens_is(t, k, ","))
		k = sd_c_tokens_is(t, k, "(") || sd_c_tokens_is(t, k, "[")
			    ? sd_c_tokens_end(t, k) + 1
			    : k + 1;
	return k < end ? k - i - 2 : end - i - 2;
}

/* Does the statement at i give back what the section has? */
static int gives_back(const struct sd_c_tokens *t, size_t i, const struct sd_fix_section *s)
{
	const size_t object = s->word - s->enter;

	if (*s->guard) /* "GUARD.unlock();" */
		return sd_c_tokens_is(t, i, s->guard) && sd_c_tokens_is(t, i + 1, ".") &&
		       sd_c_tokens_is(t, i + 2, "unlock");
	if (s->lock->method) /* "OBJECT.unlock();" */
		return sd_c_statement_same(t, s->enter, i, object) &&
		       sd_c_tokens_is(t, i + object, s->lock->leave) &&
		       sd_c_tokens_is(t, i + object + 1, "(");
	return sd_c_tokens_is(t, i, s->lock->leave) && sd_c_tokens_is(t, i + 1, "(") &&
	       argument(t, i) == argument(t, s->word) &&
	       sd_c_statement_same(t, s->word + 2, i + 2, argument(t, i));
}

/* Finds what gives the lock back in the same block. 1 or 0. */
static int find_leave(const struct sd_c_tokens *t, struct sd_fix_section *s)
{
	size_t i = s->first, end;

	for (; i < t->n && !sd_c_tokens_is(t, i, "}"); i = end + 1) {
		end = sd_c_statement_end(t, i);
		if (end >= t->n)
			return 0;
		if (gives_back(t, i, s)) {
			s->leave = i;
			s->leave_end = end;
			return 1;
		}
	}
	s->leave = s->leave_end = i;
	s->ends_block = 1;
	return *s->guard && i < t->n;
}

/* The words [from, to) as the name of the lock. */
static void name_lock(const struct sd_c_tokens *t, size_t from, size_t to, struct sd_fix_section *s)
{
	snprintf(s->name, sizeof s->name, "%.*s",
		(int)(to > from ? t->token[to - 1].at + t->token[to - 1].length - t->token[from].at
				: 0),
		t->text + t->token[from].at);
}

/* "LOCK(NAME);", of a statement that begins with the word i. */
static int is_call(const struct sd_fix_case *c, const struct sd_c_tokens *t, size_t i,
	struct sd_fix_section *s)
{
	const size_t brackets = sd_c_tokens_is(t, i + 1, "(") ? sd_c_tokens_end(t, i + 1) : t->n;

	if (s->enter != i || !sd_c_tokens_is(t, brackets + 1, ";") || !takes(c, t, i, s->lock))
		return 0;
	s->enter_end = brackets + 1;
	name_lock(t, i + 2, brackets, s);
	return 1;
}

/* "OBJECT.LOCK();", "OBJECT->LOCK();" */
static int is_method(const struct sd_c_tokens *t, size_t i, struct sd_fix_section *s)
{
	const int dot = i > 1 && sd_c_tokens_is(t, i - 1, ".");
	const size_t object = i - (dot ? 1 : 2);

	if (i < s->enter + 2 || !sd_c_tokens_is(t, i, s->lock->enter) ||
		!(dot || (i > s->enter + 2 && sd_c_tokens_is(t, i - 1, ">") &&
				 sd_c_tokens_is(t, i - 2, "-"))) ||
		!sd_c_tokens_is(t, i + 1, "(") || !sd_c_tokens_is(t, i + 2, ")") ||
		!sd_c_tokens_is(t, i + 3, ";"))
		return 0;
	for (size_t k = s->enter; k < object; k++)
		if (sd_c_tokens_is(t, k, "(") || sd_c_tokens_is(t, k, "="))
			return 0;
	s->enter_end = i + 3;
	name_lock(t, s->enter, object, s);
	return 1;
}

/* "std::lock_guard<TYPE> GUARD(NAME);": one lock, which it takes at once, and no way of taking it
 * is told (C++20, 33.6.5). */
static int is_guard(const struct sd_c_tokens *t, size_t i, struct sd_fix_section *s)
{
	size_t k = s->enter + (size_t)sd_c_tokens_is(t, s->enter, "const"), close;

	if (sd_c_tokens_is(t, k, "std") && sd_c_tokens_is(t, k + 1, ":") &&
		sd_c_tokens_is(t, k + 2, ":"))
		k += 3;
	if (k != i || !sd_c_tokens_is(t, i, s->lock->enter))
		return 0;
	if (sd_c_tokens_is(t, ++k, "<")) {
		for (size_t depth = 0; k < t->n && !sd_c_tokens_is(t, k, ";"); k++) {
			depth += (size_t)sd_c_tokens_is(t, k, "<");
			if (sd_c_tokens_is(t, k, ">") && --depth == 0)
				break;
		}
		k++;
	}
	if (k >= t->n || t->token[k].kind != SD_C_WORD || t->token[k].length >= sizeof s->guard ||
		!(sd_c_tokens_is(t, k + 1, "(") || sd_c_tokens_is(t, k + 1, "{")))
		return 0;
	close = sd_c_tokens_end(t, k + 1);
	if (!sd_c_tokens_is(t, close + 1, ";") || close == k + 2 || argument(t, k) != close - k - 2)
		return 0;
	s->enter_end = close + 1;
	snprintf(s->guard, sizeof s->guard, "%.*s", (int)t->token[k].length,
		t->text + t->token[k].at);
	name_lock(t, k + 2, close, s);
	return 1;
}

/* `critical` before a statement, or a block of them. */
static int is_critical(const struct sd_c_tokens *t, size_t i, struct sd_fix_section *out)
{
	const char *const at = t->text + t->token[i].at;
	size_t end;

	if (t->token[i].kind != SD_C_DIRECTIVE || !memmem(at, t->token[i].length, "omp", 3) ||
		!memmem(at, t->token[i].length, "critical", 8))
		return 0;
	end = sd_c_statement_end(t, i + 1);
	if (end >= t->n)
		return 0;
	*out = (struct sd_fix_section){.enter = i,
		.enter_end = i,
		.word = i,
		.first = i + 1,
		.leave = end + 1,
		.leave_end = end};
	if (sd_c_tokens_is(t, i + 1, "{")) {
		out->enter_end = i + 1;
		out->first = i + 2;
		out->leave = end;
	}
	snprintf(out->name, sizeof out->name, "the critical section");
	return 1;
}

int sd_fix_section_at(const struct sd_fix_case *c, const struct sd_c_tokens *t, size_t i,
	struct sd_fix_section *out)
{
	if (t->token[i].kind != SD_C_WORD)
		return is_critical(t, i, out);
	for (size_t k = 0; k < c->locks->n; k++) {
		const struct sd_fix_lock *const lock = &c->locks->row[k];

		*out = (struct sd_fix_section){
			.lock = lock, .enter = sd_c_tokens_begin(t, i), .word = i};
		if (!(!*lock->leave        ? is_guard(t, i, out)
			    : lock->method ? is_method(t, i, out)
					   : is_call(c, t, i, out)))
			continue;
		out->first = out->enter_end + 1;
		if (find_leave(t, out))
			return 1;
	}
	return 0;
}
