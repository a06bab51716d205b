// SPDX-License-Identifier: GPL-2.0
/*
 * Small chunks that a test makes without a compiler.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "build_chunk.h"

enum { STR_MAIN, STR_TEXT, STR_HANDLER, STR_EVENT, NR_STRINGS };

struct program {
	const char *text;		/* what is printed */
	const char *event;		/* event of the probe with handler 1, or NULL */
	const struct ktap_insn *main;
	unsigned int nmain;
	const struct ktap_insn *handler;
	unsigned int nhandler;
};

static struct ktap_insn insn(enum ktap_opcode op, uint8_t a, uint8_t b, int32_t d)
{
	return (struct ktap_insn){ .op = op, .a = a, .b = b, .d = htole32(d) };
}

static void *add_section(struct built_chunk *c, enum ktap_section_type type, uint32_t size,
			 uint32_t count)
{
	struct ktap_section *sections = (void *)(c->bytes + sizeof(c->header));
	uint32_t n = le32toh(c->header.nsections);
	uint32_t offset = (c->len + 7) & ~7U;

	sections[n] = (struct ktap_section){
		.type = htole32(type), .offset = htole32(offset), .size = htole32(size),
		.count = htole32(count),
	};
	c->header.nsections = htole32(n + 1);
	c->len = (offset + size + 7) & ~7U;
	c->header.length = htole32(c->len);
	return c->bytes + offset;
}

static void add_strings(struct built_chunk *c, const char *const *strings)
{
	uint32_t used = NR_STRINGS * sizeof(struct ktap_string);
	unsigned char data[1024];
	struct ktap_string *entry = (void *)data;

	for (int i = 0; i < NR_STRINGS; i++) {
		size_t len = strlen(strings[i]);

		entry[i].offset = htole32(used);
		entry[i].len = htole32(len);
		memcpy(data + used, strings[i], len + 1);
		used += len + 1;
	}
	memcpy(add_section(c, KTAP_SEC_STRINGS, used, NR_STRINGS), data, used);
}

static void build(struct built_chunk *c, const struct program *p)
{
	const char *strings[NR_STRINGS] = {
		[STR_MAIN] = "main", [STR_TEXT] = p->text,
		[STR_HANDLER] = "handler", [STR_EVENT] = p->event ? p->event : "",
	};
	uint32_t ninsns = p->nmain + p->nhandler;
	struct ktap_probe_desc *probe;
	struct ktap_function *f;
	struct ktap_insn *code;

	memset(c, 0, sizeof(*c));
	memcpy(c->header.magic, KTAP_MAGIC, KTAP_MAGIC_LEN);
	c->header.major = htole16(KTAP_ABI_MAJOR);
	c->header.minor = htole16(KTAP_ABI_MINOR);
	/* room for all sections, even if only three are used */
	c->len = sizeof(c->header) + 4 * sizeof(struct ktap_section);

	add_strings(c, strings);
	f = add_section(c, KTAP_SEC_FUNCS, (1 + !!p->event) * sizeof(*f), 1 + !!p->event);
	f[0] = (struct ktap_function){
		.name = htole32(STR_MAIN), .ninsns = htole32(p->nmain), .nregs = 4,
	};
	if (p->event)
		f[1] = (struct ktap_function){
			.name = htole32(STR_HANDLER), .first = htole32(p->nmain),
			.ninsns = htole32(p->nhandler), .nparams = 1, .nregs = 4,
		};
	code = add_section(c, KTAP_SEC_CODE, ninsns * sizeof(*code), ninsns);
	memcpy(code, p->main, p->nmain * sizeof(*code));
	if (p->event) {
		memcpy(code + p->nmain, p->handler, p->nhandler * sizeof(*code));
		probe = add_section(c, KTAP_SEC_PROBES, sizeof(*probe), 1);
		*probe = (struct ktap_probe_desc){
			.event = htole32(STR_EVENT), .filter = htole32(KTAP_NONE),
			.handler = htole32(1),
		};
	}
}

void build_hello(struct built_chunk *c, const char *text)
{
	struct ktap_insn code[] = {
		insn(KTAP_OP_STR, 0, 0, STR_TEXT),
		insn(KTAP_OP_CALLB, 0, 1, KTAP_FN_PRINT),
		insn(KTAP_OP_RET, 0, 0, 0),
	};

	build(c, &(struct program){ .text = text, .main = code, .nmain = 3 });
}

/*
 * trace event { print(text) }, or another function that prints, and then @last; the top level
 * has @nmain instructions
 */
static void build_handler(struct built_chunk *c, const char *event, const char *text,
			  unsigned int nmain, enum ktap_function_id print, struct ktap_insn last)
{
	struct ktap_insn code[] = {
		insn(KTAP_OP_STR, 0, 0, STR_TEXT),
		insn(KTAP_OP_CALLB, 0, 1, KTAP_FN_PRINT),
		insn(KTAP_OP_INT, 0, 0, 0),
		insn(KTAP_OP_CALLB, 0, 1, KTAP_FN_TRACE),
		insn(KTAP_OP_RET, 0, 0, 0),
	};
	struct ktap_insn handler[] = {
		insn(KTAP_OP_STR, 1, 0, STR_TEXT),
		insn(KTAP_OP_CALLB, 1, 1, print),
		last,
	};

	build(c, &(struct program){
		.text = text, .event = event, .main = code + 5 - nmain, .nmain = nmain,
		.handler = handler, .nhandler = 3,
	});
}

void build_probe(struct built_chunk *c, const char *event, const char *text)
{
	build_handler(c, event, text, 3, KTAP_FN_PRINT, insn(KTAP_OP_RET, 0, 0, 0));
}

void build_printf_probe(struct built_chunk *c, const char *event, const char *text)
{
	build_handler(c, event, text, 3, KTAP_FN_PRINTF, insn(KTAP_OP_RET, 0, 0, 0));
}

void build_hello_and_probe(struct built_chunk *c, const char *event, const char *text)
{
	build_handler(c, event, text, 5, KTAP_FN_PRINT, insn(KTAP_OP_RET, 0, 0, 0));
}

void build_flood(struct built_chunk *c, const char *event, const char *text)
{
	build_handler(c, event, text, 3, KTAP_FN_PRINT, insn(KTAP_OP_JMP, 0, 0, -3));
}

void build_curtask(struct built_chunk *c, const char *text)
{
	struct ktap_insn code[] = {
		insn(KTAP_OP_CALLB, 0, 0, KTAP_FN_CURTASK),
		insn(KTAP_OP_STR, 0, 0, STR_TEXT),
		insn(KTAP_OP_CALLB, 0, 1, KTAP_FN_PRINT),
		insn(KTAP_OP_RET, 0, 0, 0),
	};

	build(c, &(struct program){ .text = text, .main = code, .nmain = 4 });
}

int write_chunk(int fd, const struct built_chunk *c)
{
	uint32_t done = 0;

	while (done < c->len) {
		ssize_t n = write(fd, c->bytes + done, c->len - done);

		if (n < 0)
			return -errno;
		done += n;
	}
	return 0;
}
