#include "bpf/kernel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST ((size_t)256 << 20) /* of a file; a kernel's is 5 MB */
#define DEPTH 8                  /* of types in types */

/* ---- reading ---- */

/* A file of sysfs says its size, and is given page by page. */
static int read_file(struct sd_kernel_types *t, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	ssize_t got = 1;
	int rc = fd < 0 ? -errno : 0;

	if (!rc && (size < (off_t)sizeof(struct btf_header) || size > (off_t)MOST ||
			   lseek(fd, 0, SEEK_SET)))
		rc = -EINVAL;
	if (!rc && !(t->data = malloc((size_t)size)))
		rc = -ENOMEM;
	while (!rc && t->size < (size_t)size && got > 0) {
		got = read(fd, t->data + t->size, (size_t)size - t->size);
		rc = got < 0 ? -errno : 0;
		t->size += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	return rc ? rc : t->size < (size_t)size ? -EINVAL : 0;
}

static struct btf_type type_of(const struct sd_kernel_types *t, uint32_t number)
{
	struct btf_type of = {0};

	if (number > 0 && number < t->n)
		memcpy(&of, t->data + t->at[number], sizeof of);
	return of;
}

static const char *name_at(const struct sd_kernel_types *t, uint32_t offset)
{
	return offset < t->n_text ? t->text + offset : "";
}

/* Bytes behind a type, by its kind; SIZE_MAX: none that is known. */
static size_t tail_of(const struct btf_type *of)
{
	const size_t n = BTF_INFO_VLEN(of->info);

	switch (BTF_INFO_KIND(of->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case 18: /* BTF_KIND_TYPE_TAG, since Linux 5.17 */
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case 17: /* BTF_KIND_DECL_TAG, since Linux 5.16 */
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case 19: /* BTF_KIND_ENUM64, since Linux 6.0 */
		return n * 3 * sizeof(uint32_t);
	default:
		return SIZE_MAX;
	}
}

static int grow(struct sd_kernel_types *t, uint32_t *room)
{
	uint32_t *grown;

	if (t->n < *room)
		return 0;
	*room = *room ? 2 * *room : 1u << 16;
	grown = reallocarray(t->at, *room, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	t->at = grown;
	return 0;
}

/* A type of an unknown kind ends the list: what comes before it is known. */
static int list(struct sd_kernel_types *t, size_t from, size_t end)
{
	uint32_t room = 0;
	int rc = grow(t, &room);

	t->n = 1;
	while (!rc && from + sizeof(struct btf_type) <= end) {
		struct btf_type of;
		size_t tail;

		memcpy(&of, t->data + from, sizeof of);
		tail = tail_of(&of);
		if (tail > end - from - sizeof of)
			break;
		rc = grow(t, &room);
		if (!rc)
			t->at[t->n++] = (uint32_t)from;
		from += sizeof of + tail;
	}
	return rc;
}

int sd_kernel_types_open(struct sd_kernel_types *t, const char *path)
{
	struct btf_header h;
	int rc;

	*t = (struct sd_kernel_types){0};
	rc = read_file(t, path);
	if (!rc) {
		memcpy(&h, t->data, sizeof h);
		if (h.magic != BTF_MAGIC || h.hdr_len > t->size ||
			h.type_off > t->size - h.hdr_len ||
			h.type_len > t->size - h.hdr_len - h.type_off ||
			h.str_off > t->size - h.hdr_len ||
			h.str_len > t->size - h.hdr_len - h.str_off || !h.str_len ||
			t->data[h.hdr_len + h.str_off + h.str_len - 1])
			rc = -EINVAL;
	}
	if (!rc) {
		t->text = (const char *)t->data + h.hdr_len + h.str_off;
		t->n_text = h.str_len;
		rc = list(t, h.hdr_len + h.type_off, h.hdr_len + h.type_off + h.type_len);
	}
	if (rc)
		sd_kernel_types_close(t);
	return rc;
}

void sd_kernel_types_close(struct sd_kernel_types *t)
{
	free(t->data);
	free(t->at);
	*t = (struct sd_kernel_types){0};
}

/* ---- asking ---- */

uint32_t sd_kernel_types_find(const struct sd_kernel_types *t, unsigned kind, const char *name)
{
	for (uint32_t i = 1; i < t->n; i++) {
		const struct btf_type of = type_of(t, i);

		if (BTF_INFO_KIND(of.info) == kind && strcmp(name_at(t, of.name_off), name) == 0)
			return i;
	}
	return 0;
}

/* Without names of types and what says how they may be used. */
static uint32_t bare(const struct sd_kernel_types *t, uint32_t number)
{
	for (int i = 0; i < DEPTH; i++) {
		const struct btf_type of = type_of(t, number);
		const unsigned kind = BTF_INFO_KIND(of.info);

		if (kind != BTF_KIND_TYPEDEF && kind != BTF_KIND_CONST &&
			kind != BTF_KIND_VOLATILE && kind != 18)
			break;
		number = of.type;
	}
	return number;
}

static int is_struct(const struct btf_type *of)
{
	return BTF_INFO_KIND(of->info) == BTF_KIND_STRUCT ||
	       BTF_INFO_KIND(of->info) == BTF_KIND_UNION;
}

static int is_name(const char *name, const char *wanted, size_t n)
{
	return strncmp(name, wanted, n) == 0 && !name[n];
}

static int member(const struct sd_kernel_types *t, uint32_t number, const char *path, int depth,
	uint32_t *out)
{
	const struct btf_type of = type_of(t, number);
	const size_t first = strcspn(path, ".");

	if (depth == DEPTH || !is_struct(&of))
		return -ENOENT;
	for (unsigned i = 0; i < BTF_INFO_VLEN(of.info); i++) {
		struct btf_member m;
		uint32_t at, inner = 0;
		const char *name, *rest = path;

		memcpy(&m, t->data + t->at[number] + sizeof of + i * sizeof m, sizeof m);
		name = name_at(t, m.name_off);
		at = BTF_INFO_KFLAG(of.info) ? BTF_MEMBER_BIT_OFFSET(m.offset) : m.offset;
		*out = at / 8;
		if (*name && !is_name(name, path, first))
			continue;
		if (*name && !path[first])
			return 0;
		if (*name)
			rest = path + first + 1;
		if (member(t, bare(t, m.type), rest, depth + 1, &inner) == 0) {
			*out = at / 8 + inner;
			return 0;
		}
	}
	return -ENOENT;
}

int sd_kernel_types_member(
	const struct sd_kernel_types *t, const char *name, const char *path, uint32_t *out)
{
	return member(t, sd_kernel_types_find(t, BTF_KIND_STRUCT, name), path, 0, out);
}

unsigned sd_kernel_types_parameters(
	const struct sd_kernel_types *t, uint32_t point, int *is_task, unsigned most)
{
	const uint32_t function = type_of(t, bare(t, point)).type;
	const struct btf_type of = type_of(t, function);
	const unsigned n = BTF_INFO_VLEN(of.info);

	if (BTF_INFO_KIND(of.info) != BTF_KIND_FUNC_PROTO || n < 2 || n - 1 > most)
		return 0;
	for (unsigned i = 1; i < n; i++) {
		struct btf_param p;
		struct btf_type to;

		memcpy(&p, t->data + t->at[function] + sizeof of + i * sizeof p, sizeof p);
		to = type_of(t, bare(t, p.type));
		is_task[i - 1] = BTF_INFO_KIND(to.info) == BTF_KIND_PTR;
		to = type_of(t, bare(t, to.type));
		is_task[i - 1] &= strcmp(name_at(t, to.name_off), "task_struct") == 0;
	}
	return n - 1;
}
