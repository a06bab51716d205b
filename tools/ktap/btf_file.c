// SPDX-License-Identifier: GPL-2.0
/*
 * Read the type information of the running kernel (Documentation/bpf/btf.rst in
 * the kernel), and print declarations of C. A file that does not follow the
 * format is used up to the mistake.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "btf_file.h"
#include "compiler/clean_text.h"
#include "compiler/compile.h"

#define BTF_FOLDER	"/sys/kernel/btf"
#define BTF_MAGIC	0xeb9f
#define MAX_BTF		(256u << 20)	/* size of a file */
#define MAX_DECL	512		/* bytes of a declaration */
#define MAX_STEPS	32		/* types that a declaration goes through */
#define MAX_NESTED	3		/* functions in parameters of functions */

/* The header of the file */
struct btf_head {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t len;
	uint32_t types;		/* offsets, from the end of the header */
	uint32_t types_len;
	uint32_t strings;
	uint32_t strings_len;
};

/* The beginning of each type; @type is a size in some */
struct btf_type {
	uint32_t name;
	uint32_t info;
	uint32_t type;
};

struct btf_parameter {
	uint32_t name;
	uint32_t type;
};

struct btf_member {
	uint32_t name;
	uint32_t type;
	uint32_t place;		/* with the flag of the structure: the bits of a bit-field << 24 */
};

struct btf_array {
	uint32_t type;
	uint32_t index;
	uint32_t count;
};

/* These numbers are in the file. */
enum btf_kind {
	BTF_VOID, BTF_INT, BTF_PTR, BTF_ARRAY, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_FWD,
	BTF_TYPEDEF, BTF_VOLATILE, BTF_CONST, BTF_RESTRICT, BTF_FUNC, BTF_FUNC_PROTO,
	BTF_VAR, BTF_DATASEC, BTF_FLOAT, BTF_DECL_TAG, BTF_TYPE_TAG, BTF_ENUM64,
	BTF_KINDS
};

/* Bytes that follow a type of each kind: always, and for each of its parts */
static const struct {
	uint8_t once, each;
} btf_sizes[BTF_KINDS] = {
	[BTF_INT]	= { 4, 0 },
	[BTF_ARRAY]	= { 12, 0 },
	[BTF_STRUCT]	= { 0, 12 },
	[BTF_UNION]	= { 0, 12 },
	[BTF_ENUM]	= { 0, 8 },
	[BTF_FUNC_PROTO] = { 0, 8 },
	[BTF_VAR]	= { 4, 0 },
	[BTF_DATASEC]	= { 0, 12 },
	[BTF_DECL_TAG]	= { 4, 0 },
	[BTF_ENUM64]	= { 0, 12 },
};

static unsigned int btf_kind(const struct btf_type *t)
{
	return t->info >> 24 & 31;
}

static unsigned int btf_parts(const struct btf_type *t)
{
	return t->info & 0xffff;
}

/* Get a type; NULL: void, or there is no such type. @after: what follows it */
static const struct btf_type *btf_type(const struct btf_file *f, uint32_t id, const void **after)
{
	const char *p;

	while (f && id < f->first)
		f = f->base;
	if (!id || !f || id - f->first >= f->count)
		return NULL;
	p = f->data + f->types[id - f->first];
	if (after)
		*after = p + sizeof(struct btf_type);
	return (const struct btf_type *)p;
}

static const char *btf_name(const struct btf_file *f, uint32_t name)
{
	while (f && name < f->first_string)
		f = f->base;
	if (!f || name - f->first_string >= f->strings_len)
		return "";
	return f->data + f->strings + name - f->first_string;
}

/* Find where each type begins, up to the first mistake; false without memory. */
static bool btf_index(struct btf_file *f, uint32_t begin, uint32_t end)
{
	uint32_t size = 0, at = begin;

	while (end - at >= sizeof(struct btf_type)) {
		const struct btf_type *t = (const struct btf_type *)(f->data + at);
		unsigned int kind = btf_kind(t);
		uint32_t len;

		if (!kind || kind >= BTF_KINDS)
			break;
		len = sizeof(*t) + btf_sizes[kind].once + btf_sizes[kind].each * btf_parts(t);
		if (len > end - at)
			break;
		if (f->count == size) {
			uint32_t *types;

			size = size ? 2 * size : 1024;
			types = realloc(f->types, size * sizeof(*types));
			if (!types)
				return false;
			f->types = types;
		}
		f->types[f->count++] = at;
		f->nfunctions += kind == BTF_FUNC;
		at += len;
	}
	return true;
}

static int btf_compare(const void *a, const void *b, void *file)
{
	const struct btf_file *f = file;

	return strcmp(btf_name(f, btf_type(f, *(const uint32_t *)a, NULL)->name),
		      btf_name(f, btf_type(f, *(const uint32_t *)b, NULL)->name));
}

/* Sort the functions by name; false without memory. */
static bool btf_sort(struct btf_file *f)
{
	uint32_t n = 0;

	f->functions = malloc(f->nfunctions * sizeof(*f->functions) + 1);
	if (!f->functions)
		return false;
	for (uint32_t i = 0; i < f->count; i++) {
		if (btf_kind(btf_type(f, f->first + i, NULL)) == BTF_FUNC)
			f->functions[n++] = f->first + i;
	}
	qsort_r(f->functions, n, sizeof(*f->functions), btf_compare, f);
	return true;
}

/* Check the header, and find types and names. */
static bool btf_parse(struct btf_file *f, size_t len)
{
	const struct btf_head *h = (const struct btf_head *)f->data;
	uint64_t types, strings;

	if (len < sizeof(*h) || h->magic != BTF_MAGIC || h->version != 1)
		return false;
	types = (uint64_t)h->len + h->types;
	strings = (uint64_t)h->len + h->strings;
	if (types % 4 || types + h->types_len > len || strings + h->strings_len > len ||
	    !h->strings_len || f->data[strings + h->strings_len - 1])
		return false;
	f->strings = strings;
	f->strings_len = h->strings_len;
	f->first = 1;
	if (f->base) {
		f->first = f->base->first + f->base->count;
		f->first_string = f->base->strings_len;
	}
	return btf_index(f, types, types + h->types_len) && btf_sort(f);
}

/* Read a whole file, whose size may be unknown; NULL on failure. */
static char *btf_read(int fd, size_t *len)
{
	size_t size = 1 << 20;
	char *data = NULL, *more;
	ssize_t n = 1;

	for (*len = 0; n > 0; *len += n) {
		if (!data || *len == size) {
			size *= data ? 2 : 1;
			more = size > MAX_BTF ? NULL : realloc(data, size);
			if (!more)
				goto fail;
			data = more;
		}
		n = read(fd, data + *len, size - *len);
		if (n < 0)
			goto fail;
	}
	return data;
fail:
	free(data);
	return NULL;
}

static void btf_load(struct btf_file *f)
{
	const char *folder = getenv("KTAP_BTF");
	char path[4096];
	size_t len;
	int fd;

	if (strchr(f->module, '/'))
		return;
	snprintf(path, sizeof(path), "%s/%s", folder ? folder : BTF_FOLDER, f->module);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	f->data = btf_read(fd, &len);
	close(fd);
	if (f->data && !btf_parse(f, len)) {
		free(f->data);
		f->data = NULL;
	}
}

const struct btf_file *btf_open(struct btf_file **files, const char *module)
{
	const struct btf_file *base = NULL;
	struct btf_file *f;

	for (f = *files; f; f = f->next) {
		if (!strcmp(f->module, module))
			return f->data ? f : NULL;
	}
	if (strcmp(module, "vmlinux")) {
		base = btf_open(files, "vmlinux");
		if (!base)
			return NULL;
	}
	f = calloc(1, sizeof(*f));
	if (f)
		f->module = strdup(module);
	if (!f || !f->module) {
		free(f);
		return NULL;
	}
	f->base = base;
	f->next = *files;
	*files = f;
	btf_load(f);
	return f->data ? f : NULL;
}

uint32_t btf_function(const struct btf_file *f, const char *name)
{
	uint32_t low = 0, high = f->nfunctions;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, id = f->functions[middle];
		int c = strcmp(name, btf_name(f, btf_type(f, id, NULL)->name));

		if (!c)
			return id;
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

/* Put @text before what is in @decl; what does not fit is left out. */
static void btf_before(char *decl, const char *text)
{
	size_t len = strlen(text), old = strlen(decl);

	if (len + old >= MAX_DECL)
		return;
	memmove(decl + len, decl, old + 1);
	memcpy(decl, text, len);
}

static void btf_after(char *decl, const char *text)
{
	size_t old = strlen(decl);

	snprintf(decl + old, MAX_DECL - old, "%s", text);
}

static void btf_declare(const struct btf_file *f, uint32_t id, char *decl, unsigned int nested);

/* Add the parameters of a function that is pointed to. */
static void btf_add_parameters(const struct btf_file *f, const struct btf_type *t, char *decl,
			       unsigned int nested)
{
	const struct btf_parameter *p = (const void *)(t + 1);
	unsigned int n = btf_parts(t);
	char text[MAX_DECL];

	btf_after(decl, "(");
	for (unsigned int i = 0; i < n && nested < MAX_NESTED; i++) {
		text[0] = '\0';
		btf_declare(f, p[i].type, text, nested + 1);
		btf_after(decl, i ? ", " : "");
		btf_after(decl, p[i].type ? text : "...");
	}
	btf_after(decl, n ? ")" : "void)");
}

static const char *btf_keyword(unsigned int kind, const struct btf_type *t)
{
	switch (kind) {
	case BTF_STRUCT:
		return "struct ";
	case BTF_UNION:
		return "union ";
	case BTF_FWD:
		return t->info >> 31 ? "union " : "struct ";
	case BTF_ENUM:
	case BTF_ENUM64:
		return "enum ";
	default:
		return "";
	}
}

/* Put the name of a type before a declaration. */
static void btf_put_base(const struct btf_file *f, const struct btf_type *t, const char *qualifier,
			 char *decl)
{
	const char *name = t ? btf_name(f, t->name) : "void";
	char text[MAX_DECL];

	snprintf(text, sizeof(text), "%s%s%s%s", qualifier, t ? btf_keyword(btf_kind(t), t) : "",
		 *name ? name : "{...}", *decl ? " " : "");
	btf_before(decl, text);
}

/*
 * Turn the name in @decl into the declaration of a variable of that type, from
 * the name outwards: "fn" becomes "*fn", "(*fn)(int)", "void (*fn)(int)".
 */
static void btf_declare(const struct btf_file *f, uint32_t id, char *decl, unsigned int nested)
{
	const struct btf_type *t = NULL;
	const struct btf_array *array = NULL;
	const char *qualifier = "";
	const void *after = NULL;
	bool pointer = false;
	char count[16];

	for (unsigned int steps = 0; steps < MAX_STEPS; steps++) {
		unsigned int kind;

		t = btf_type(f, id, &after);
		kind = t ? btf_kind(t) : BTF_VOID;
		if (kind != BTF_PTR && pointer && (kind == BTF_ARRAY || kind == BTF_FUNC_PROTO)) {
			btf_before(decl, "(");
			btf_after(decl, ")");
		}
		switch (kind) {
		case BTF_PTR:
			btf_before(decl, *decl && *qualifier ? qualifier : "");
			btf_before(decl, "*");
			qualifier = "";
			break;
		case BTF_CONST:
			qualifier = "const ";
			break;
		case BTF_VOLATILE:
			qualifier = "volatile ";
			break;
		case BTF_RESTRICT:
		case BTF_TYPE_TAG:
			break;
		case BTF_ARRAY:
			array = after;
			snprintf(count, sizeof(count), "[%u]", array->count);
			btf_after(decl, count);
			break;
		case BTF_FUNC_PROTO:
			btf_add_parameters(f, t, decl, nested);
			break;
		default:
			btf_put_base(f, t, qualifier, decl);
			return;
		}
		if (kind == BTF_PTR || kind == BTF_ARRAY || kind == BTF_FUNC_PROTO)
			pointer = kind == BTF_PTR;
		id = kind == BTF_ARRAY ? array->type : t->type;
	}
}

static void btf_put_variable(const struct btf_file *f, uint32_t type, const char *name,
			     const char *before, FILE *out)
{
	char decl[MAX_DECL];

	snprintf(decl, sizeof(decl), "%s", name);
	btf_declare(f, type, decl, 0);
	fputs(before, out);
	put_clean(out, decl, strlen(decl));
	fputc('\n', out);
}

/* The type of a function, which has its parameters; NULL: there is none */
static const struct btf_type *btf_prototype(const struct btf_file *f, uint32_t function)
{
	const struct btf_type *t = btf_type(f, function, NULL);

	if (t)
		t = btf_type(f, t->type, NULL);
	return t && btf_kind(t) == BTF_FUNC_PROTO ? t : NULL;
}

void btf_put_parameters(const struct btf_file *f, uint32_t function, unsigned int skip,
			const char *before, FILE *out)
{
	const struct btf_type *t = btf_prototype(f, function);
	const struct btf_parameter *p;

	if (!t)
		return;
	p = (const void *)(t + 1);
	for (unsigned int i = skip; i < btf_parts(t); i++) {
		if (p[i].type)
			btf_put_variable(f, p[i].type, btf_name(f, p[i].name), before, out);
		else
			fprintf(out, "%s...\n", before);
	}
}

void btf_put_result(const struct btf_file *f, uint32_t function, const char *name,
		    const char *before, FILE *out)
{
	const struct btf_type *t = btf_prototype(f, function);

	if (t && t->type)
		btf_put_variable(f, t->type, name, before, out);
}

static bool btf_is_struct(unsigned int kind)
{
	return kind == BTF_STRUCT || kind == BTF_UNION;
}

static bool btf_is_enum(unsigned int kind)
{
	return kind == BTF_ENUM || kind == BTF_ENUM64;
}

/* The number of an enumerator is where a member has its type, and its place. */
static uint64_t btf_number(const struct btf_type *t, const struct btf_member *m)
{
	if (btf_kind(t) == BTF_ENUM64)
		return m->type | (uint64_t)m->place << 32;
	return t->info >> 31 ? (uint64_t)(int32_t)m->type : m->type;
}

static void btf_put_number(const struct btf_type *t, const struct btf_member *m, FILE *out)
{
	uint64_t n = btf_number(t, m);

	if (t->info >> 31)
		fprintf(out, "%" PRId64, (int64_t)n);
	else
		fprintf(out, "%" PRIu64, n);
}

/* Print what is between the braces of a structure or an enumeration. */
static void btf_put_members(const struct btf_file *f, const struct btf_type *t,
			    unsigned int depth, FILE *out)
{
	const char *indent = "\t\t\t\t\t\t\t\t" + (depth < 8 ? 8 - depth : 0);
	unsigned int kind = btf_kind(t), step = btf_sizes[kind].each;
	const char *part = (const char *)(t + 1);

	for (unsigned int i = 0; i < btf_parts(t); i++, part += step) {
		const struct btf_member *m = (const void *)part;
		const struct btf_type *type = NULL;
		char decl[MAX_DECL] = "";

		fputs(indent, out);
		btf_after(decl, btf_name(f, m->name));
		if (btf_is_enum(kind)) {
			fprintf(out, "%s = ", decl);
			btf_put_number(t, m, out);
			fputs(",\n", out);
			continue;
		}
		type = btf_type(f, m->type, NULL);
		if (type && btf_is_struct(btf_kind(type)) && !*btf_name(f, type->name) &&
		    depth < MAX_STEPS) {
			fprintf(out, "%s{\n", btf_keyword(btf_kind(type), type));
			btf_put_members(f, type, depth + 1, out);
			fprintf(out, "%s}%s%s;\n", indent, *decl ? " " : "", decl);
			continue;
		}
		btf_declare(f, m->type, decl, 0);
		put_clean(out, decl, strlen(decl));
		if (t->info >> 31 && m->place >> 24)
			fprintf(out, ":%u", m->place >> 24);
		fputs(";\n", out);
	}
}

bool btf_list_types(const struct btf_file *f, const char *pattern, bool details, FILE *out)
{
	bool found = false;
	char decl[MAX_DECL];

	for (uint32_t i = 0; i < f->count; i++) {
		const struct btf_type *t = btf_type(f, f->first + i, NULL);
		unsigned int kind = btf_kind(t);

		if ((!btf_is_struct(kind) && !btf_is_enum(kind)) || !*btf_name(f, t->name))
			continue;
		snprintf(decl, sizeof(decl), "%s%s", btf_keyword(kind, t), btf_name(f, t->name));
		if (fnmatch(pattern, decl, 0))
			continue;
		fprintf(out, "%s: %s%s\n", f->module, decl, details ? " {" : "");
		if (details) {
			btf_put_members(f, t, 1, out);
			fputs("};\n", out);
		}
		found = true;
	}
	return found;
}

/* The number of a structure or an enumeration; 0: there is none with that name. */
static uint32_t btf_named(const struct btf_file *f, const char *name)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct btf_type *t = btf_type(f, f->first + i, NULL);
		const char *keyword = btf_keyword(btf_kind(t), t);

		if ((btf_is_struct(btf_kind(t)) || btf_is_enum(btf_kind(t))) &&
		    !strncmp(name, keyword, strlen(keyword)) &&
		    !strcmp(name + strlen(keyword), btf_name(f, t->name)))
			return f->first + i;
	}
	return 0;
}

/* The type of a member, also of one in a structure without a name; 0: there is none. */
static uint32_t btf_member(const struct btf_file *f, const struct btf_type *t, const char *member,
			   unsigned int depth)
{
	const struct btf_member *m = (const void *)(t + 1);

	for (unsigned int i = 0; i < btf_parts(t); i++) {
		const char *name = btf_name(f, m[i].name);
		const struct btf_type *type = btf_type(f, m[i].type, NULL);
		uint32_t found = 0;

		if (!strcmp(name, member))
			return m[i].type;
		if (!*name && type && btf_is_struct(btf_kind(type)) && depth < MAX_STEPS)
			found = btf_member(f, type, member, depth + 1);
		if (found)
			return found;
	}
	return 0;
}

/* The name of an integer or an enumeration in scripts of bpftrace */
static void btf_number_name(const struct btf_file *f, const struct btf_type *t, const void *after,
			    struct ktap_member_type *type)
{
	const uint32_t *integer = after;
	bool is_signed = btf_kind(t) == BTF_INT ? *integer >> 24 & 1 : t->info >> 31;
	const char *name = btf_name(f, t->name);

	if (btf_kind(t) == BTF_INT && !strcmp(name, "_Bool"))
		snprintf(type->name, sizeof(type->name), "bool");
	else if (btf_kind(t) == BTF_INT && !strcmp(name, "char"))
		snprintf(type->name, sizeof(type->name), "char");
	else if (t->type <= 8)
		snprintf(type->name, sizeof(type->name), "%sint%u", is_signed ? "" : "u",
			 8 * t->type);
}

static bool btf_describe(const struct btf_file *f, uint32_t id, struct ktap_member_type *type)
{
	const struct btf_type *t;
	const void *after = NULL;

	*type = (struct ktap_member_type) { 0 };
	for (unsigned int steps = 0; id && steps < MAX_STEPS; steps++) {
		unsigned int kind;

		t = btf_type(f, id, &after);
		kind = t ? btf_kind(t) : BTF_VOID;
		if (kind == BTF_PTR) {
			type->stars++;
		} else if (kind == BTF_ARRAY) {
			const struct btf_array *array = after;

			/* neither arrays of arrays, nor pointers to arrays */
			if (type->count || type->stars || !array->count)
				return false;
			type->count = array->count;
		} else if (kind == BTF_INT || btf_is_enum(kind)) {
			btf_number_name(f, t, after, type);
			return true;
		} else if (btf_is_struct(kind) || kind == BTF_FWD) {
			type->number = kind == BTF_FWD ? 0 : id;
			if (*btf_name(f, t->name))
				snprintf(type->name, sizeof(type->name), "%s%s",
					 btf_keyword(kind, t), btf_name(f, t->name));
			return true;
		} else if (kind != BTF_TYPE_TAG && (kind < BTF_TYPEDEF || kind > BTF_RESTRICT)) {
			return kind == BTF_VOID;
		}
		id = kind == BTF_ARRAY ? ((const struct btf_array *)after)->type : t->type;
	}
	return false;
}

bool btf_member_type(const struct btf_file *f, const char *name, uint32_t id, const char *member,
		     struct ktap_member_type *type)
{
	const struct btf_type *t = btf_type(f, id ? id : btf_named(f, name), NULL);

	return btf_describe(f, t && btf_is_struct(btf_kind(t)) ? btf_member(f, t, member, 0) : 0,
			    type);
}

bool btf_parameter_type(const struct btf_file *f, uint32_t function, unsigned int number,
			const char **name, struct ktap_member_type *type)
{
	const struct btf_type *t = btf_prototype(f, function);
	const struct btf_parameter *p = t ? (const void *)(t + 1) : NULL;

	if (!t || number >= btf_parts(t) || !p[number].type)
		return false;
	*name = btf_name(f, p[number].name);
	/* a type of which nothing is known is one, too */
	if (!btf_describe(f, p[number].type, type))
		*type = (struct ktap_member_type) { 0 };
	return true;
}

bool btf_part(const struct btf_file *f, const char *name, uint32_t id, unsigned int i,
	      struct ktap_type_part *part)
{
	const struct btf_type *t;
	const struct btf_member *m;

	id = id ? id : btf_named(f, name);
	t = btf_type(f, id, NULL);
	if (!t || (!btf_is_struct(btf_kind(t)) && !btf_is_enum(btf_kind(t))) || i >= btf_parts(t))
		return false;
	m = (const void *)((const char *)(t + 1) + i * btf_sizes[btf_kind(t)].each);
	*part = (struct ktap_type_part) { .number = id };
	snprintf(part->name, sizeof(part->name), "%s", btf_name(f, m->name));
	if (btf_is_enum(btf_kind(t)))
		part->value = btf_number(t, m);
	return true;
}

void btf_free(struct btf_file *files)
{
	struct btf_file *next;

	for (; files; files = next) {
		next = files->next;
		free(files->module);
		free(files->data);
		free(files->types);
		free(files->functions);
		free(files);
	}
}
