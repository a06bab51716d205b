// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU that counts instructions that are executed between two markers.
 *
 *	-plugin icount.so,begin=ADDRESS,end=ADDRESS,write=ADDRESS,out=FILE[,kinds=on]
 *
 * Counting begins when the instruction at the address @begin is executed, and ends at @end;
 * this may be repeated. At the address @write it writes the counts, and starts from 0:
 *
 * - to FILE.1, the next time to FILE.2, and so on: a line "ADDRESS COUNT" for each
 *   instruction, in hexadecimal and decimal;
 * - or, with kinds=on, a line "LOCKED OFF" to FILE: the instructions with a bus lock, which are
 *   those with a lock prefix and xchg with memory, and those that turn interrupts off (cli).
 *   No other instruction is counted then, so that the guest is hardly slower.
 *
 * For one CPU at a time, and for 64-bit code.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<qemu-plugin.h>)
#include <qemu-plugin.h>
#else
/* The part of version 1 that is used here: not all packages of QEMU have the header. */
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION 1
#define QEMU_PLUGIN_CB_NO_REGS 0

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info qemu_info_t;
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *userdata);
struct qemu_plugin_tb;
struct qemu_plugin_insn;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int, void *), int flags,
					    void *userdata);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t n);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
#endif

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define BUCKETS	(1 << 16)

/* One instruction. It is kept until QEMU ends, because translated code refers to it. */
struct place {
	uint64_t address;
	uint64_t count;
	struct place *next;
};

enum kind { LOCKED, OFF, OTHER };

static struct place *places[BUCKETS];
static uint64_t of_kind[OTHER];
static uint64_t begin, end, write_at;
static const char *out;
static bool counting, kinds;
static unsigned int written;

static struct place *place_of(uint64_t address)
{
	struct place **bucket = &places[(address ^ address >> 16) % BUCKETS];
	struct place *place;

	for (place = *bucket; place; place = place->next) {
		if (place->address == address)
			return place;
	}
	place = calloc(1, sizeof(*place));
	if (!place)
		abort();
	place->address = address;
	place->next = *bucket;
	*bucket = place;
	return place;
}

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64 ... 0x67:
	case 0xf0: case 0xf2: case 0xf3:
	case 0x40 ... 0x4f: /* REX */
		return true;
	default:
		return false;
	}
}

static enum kind kind_of(const uint8_t *code, size_t size)
{
	bool lock = false;
	size_t i;

	for (i = 0; i < size && is_prefix(code[i]); i++)
		lock |= code[i] == 0xf0;
	if (lock)
		return LOCKED;
	/* xchg, if its operand is in memory */
	if (i + 1 < size && (code[i] & 0xfe) == 0x86 && code[i + 1] < 0xc0)
		return LOCKED;
	return i < size && code[i] == 0xfa ? OFF : OTHER;
}

static void write_kinds(void)
{
	FILE *file = fopen(out, written++ ? "a" : "w");

	if (!file) {
		perror(out);
		exit(1);
	}
	fprintf(file, "%" PRIu64 " %" PRIu64 "\n", of_kind[LOCKED], of_kind[OFF]);
	memset(of_kind, 0, sizeof(of_kind));
	fclose(file);
}

/* Write the counts, and start from 0. */
static void write_counts(void)
{
	char name[4096];
	FILE *file;

	snprintf(name, sizeof(name), "%s.%u", out, ++written);
	file = fopen(name, "w");
	if (!file) {
		perror(name);
		exit(1);
	}
	for (int i = 0; i < BUCKETS; i++) {
		for (struct place *place = places[i]; place; place = place->next) {
			if (place->count)
				fprintf(file, "%" PRIx64 " %" PRIu64 "\n", place->address, place->count);
			place->count = 0;
		}
	}
	fclose(file);
}

static void executed(unsigned int cpu, void *place)
{
	(void)cpu;
	if (counting)
		((struct place *)place)->count++;
}

static void kind_executed(unsigned int cpu, void *count)
{
	(void)cpu;
	if (counting)
		++*(uint64_t *)count;
}

static void marker_executed(unsigned int cpu, void *place)
{
	uint64_t address = ((struct place *)place)->address;

	(void)cpu;
	counting = address == begin;
	if (address != write_at)
		return;
	if (kinds)
		write_kinds();
	else
		write_counts();
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		qemu_plugin_vcpu_udata_cb_t callback = executed;
		void *count = NULL;
		enum kind kind;

		if (address == begin || address == end || address == write_at) {
			callback = marker_executed;
		} else if (kinds) {
			kind = kind_of(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
			if (kind == OTHER)
				continue;
			callback = kind_executed;
			count = &of_kind[kind];
		}
		qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS,
						       count ? count : place_of(address));
	}
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
					   int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "begin=", 6))
			begin = strtoull(argv[i] + 6, NULL, 0);
		else if (!strncmp(argv[i], "end=", 4))
			end = strtoull(argv[i] + 4, NULL, 0);
		else if (!strncmp(argv[i], "write=", 6))
			write_at = strtoull(argv[i] + 6, NULL, 0);
		else if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
		else if (!strcmp(argv[i], "kinds=on"))
			kinds = true;
	}
	if (!begin || !end || !write_at || !out) {
		fprintf(stderr, "icount: begin=, end=, write= and out= are needed\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
