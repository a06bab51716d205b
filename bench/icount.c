// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU that counts how often each instruction is executed between two markers.
 *
 *	-plugin icount.so,begin=ADDRESS,end=ADDRESS,out=FILE
 *
 * Counting begins when the instruction at the address @begin is executed, and ends at @end.
 * Then it writes the counts to FILE.1, the next time to FILE.2, and so on: a line
 * "ADDRESS COUNT" for each instruction, in hexadecimal and decimal. For one CPU at a time.
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
#endif

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define BUCKETS	(1 << 16)

/* One instruction. It is kept until QEMU ends, because translated code refers to it. */
struct place {
	uint64_t address;
	uint64_t count;
	struct place *next;
};

static struct place *places[BUCKETS];
static uint64_t begin, end;
static const char *out;
static bool counting;
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

static void marker_executed(unsigned int cpu, void *place)
{
	uint64_t address = ((struct place *)place)->address;

	(void)cpu;
	if (address == end && counting)
		write_counts();
	counting = address == begin;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		bool marker = address == begin || address == end;

		qemu_plugin_register_vcpu_insn_exec_cb(insn, marker ? marker_executed : executed,
						       QEMU_PLUGIN_CB_NO_REGS, place_of(address));
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
		else if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	}
	if (!begin || !end || !out) {
		fprintf(stderr, "icount: begin=, end= and out= are needed\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
