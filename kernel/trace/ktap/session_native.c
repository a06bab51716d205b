// SPDX-License-Identifier: GPL-2.0
/*
 * The file ktap/native: the native code of all sessions.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sprintf.h>

#include "../../bpf/disasm.h"
#include "jit/jit.h"
#include "session.h"
#include "session_priv.h"

/*
 * A record is the code of a handler: it can be some megabytes of text.  The locks are held
 * while a record is written, so neither the session nor its code can be freed meanwhile.
 */

static void *native_find(struct seq_file *m, loff_t n)
{
	struct ktap_native *native;
	struct ktap_session *s;

	list_for_each_entry(s, &ktap_sessions, list) {
		for (native = s->env.native; native; native = native->next) {
			if (n--)
				continue;
			m->private = s;
			return native;
		}
	}
	return NULL;
}

static void *native_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&ktap_sessions_lock);
	mutex_lock(&ktap_native_lock);
	return native_find(m, *pos);
}

static void *native_next(struct seq_file *m, void *v, loff_t *pos)
{
	return native_find(m, ++*pos);
}

static void native_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&ktap_native_lock);
	mutex_unlock(&ktap_sessions_lock);
}

#ifdef CONFIG_BPF_SYSCALL

/**
 * struct native_listing - where an instruction is printed
 * @m: the file
 * @called: room for the name of a function
 */
struct native_listing {
	struct seq_file *m;
	char called[64];
};

static __printf(2, 3) void native_print(void *data, const char *fmt, ...)
{
	const struct native_listing *listing = data;
	va_list args;

	va_start(args, fmt);
	seq_vprintf(listing->m, fmt, args);
	va_end(args);
}

static const char *native_name_call(void *data, const struct bpf_insn *insn)
{
	struct native_listing *listing = data;

	snprintf(listing->called, sizeof(listing->called), "%ps",
		 (void *)__bpf_call_base + insn->imm);
	return listing->called;
}

static void native_show_insn(struct seq_file *m, const struct bpf_insn *insn)
{
	struct native_listing listing = { .m = m };
	const struct bpf_insn_cbs cbs = {
		.cb_print = native_print,
		.cb_call = native_name_call,
		.private_data = &listing,
	};

	print_bpf_insn(&cbs, insn, true);
}

#else

/* The disassembler of BPF is not built. */
static void native_show_insn(struct seq_file *m, const struct bpf_insn *insn)
{
	seq_printf(m, "(%02x) dst=r%u src=r%u off=%d imm=%d\n", insn->code, insn->dst_reg,
		   insn->src_reg, insn->off, insn->imm);
}

#endif

static void native_show_insns(struct seq_file *m, const struct bpf_prog *prog)
{
	const struct bpf_insn *insn;
	u32 i;

	for (i = 0; i < prog->len && !seq_has_overflowed(m); i++) {
		insn = &prog->insnsi[i];
		seq_printf(m, "  %5u: ", i);
		native_show_insn(m, insn);
		/* The second half of a 64-bit constant is no instruction. */
		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW))
			i++;
		cond_resched();
	}
}

static int native_show(struct seq_file *m, void *v)
{
	const struct ktap_native *native = v;
	const struct ktap_session *s = m->private;
	const struct bpf_prog *prog = native->prog;

	seq_printf(m, "%llu %s insns=%u bytes=%u address=0x%lx\n", s->id, prog->aux->name,
		   prog->len, prog->jited_len, (unsigned long)prog->bpf_func);
	native_show_insns(m, prog);
	seq_hex_dump(m, "  ", DUMP_PREFIX_OFFSET, 16, 1, prog->bpf_func, prog->jited_len, false);
	return 0;
}

const struct seq_operations ktap_native_ops = {
	.start = native_start,
	.next = native_next,
	.stop = native_stop,
	.show = native_show,
};
