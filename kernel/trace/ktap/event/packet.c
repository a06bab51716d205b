// SPDX-License-Identifier: GPL-2.0
/*
 * Packets: the hooks of netfilter for IPv4 and IPv6.
 */
#include <linux/array_size.h>
#include <linux/cleanup.h>
#include <linux/glob.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/nsproxy.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <net/net_namespace.h>

#include "data/suggest.h"
#include "event/packet.h"
#include "event/source.h"
#include "session.h"
#include "session_output.h"
#include "vm/program.h"

/**
 * DOC: Packets
 *
 * A point is a hook of netfilter, in the network namespace of the task that loads the
 * script: one for IPv4, and one for IPv6.  It is the first of its kind, so that a script
 * sees what other hooks drop, rewrite or queue.
 *
 * A session does not keep its network namespace: otherwise the namespace of a container
 * would live, with its devices, for as long as somebody traces it.  Instead each
 * namespace that ends removes the hooks in it (packet_net_exit()).  The session goes on
 * without these events, and reports that when it ends.
 *
 * packet_lock protects packet_points and &packet_point.net: attaching, detaching and the
 * end of a namespace are concurrent.  It is taken after event_mutex, and before the locks
 * of netfilter.  To the namespace of the current task hooks can be added safely: it
 * cannot end meanwhile.
 *
 * Netfilter calls hooks in RCU read-side critical sections.  ktap_sources_detach() waits
 * for these after it has called packet_detach(), and points are freed after that.
 *
 * Netfilter drops what waits in the queues of a namespace (NFQUEUE) when a hook there is
 * removed, and may queue it again when one is added.  So hooks need CAP_NET_ADMIN, also
 * those that only look.
 *
 * The verdict is NF_ACCEPT, whatever happens to the handler, unless the script says
 * otherwise by verdict().
 */

/* Each is a hook in the namespace, and the namespace has room for 1024 of all users. */
#define PKT_MAX_POINTS	64

/* Hooks of all sessions at a hook of a namespace */
#define PKT_MAX_HOOKS	256

/* Estimate of what netfilter allocates for a point: in the tables of both families */
#define PKT_KERNEL_BYTES	(2 * (sizeof(struct nf_hook_entry) + sizeof(void *)))

/* Bytes of args.payload, at most */
#define PKT_MAX_PAYLOAD	1024

/* Units of budget to print an address */
#define PKT_ADDRESS_COST	4

/* Fields, in the order of packet_fields[] */
enum packet_field {
	PKT_DEVICE,
	PKT_OUT_DEVICE,
	PKT_LENGTH,
	PKT_MARK,
	/* The rest is in the headers. */
	PKT_VERSION,
	PKT_PROTOCOL,
	PKT_SADDR,
	PKT_DADDR,
	PKT_SPORT,
	PKT_DPORT,
	PKT_FLAGS,
	PKT_TTL,
	PKT_FRAGMENT,
	PKT_PAYLOAD,
	PKT_PAYLOAD_LENGTH,
	/* e.name is no field. */
	PKT_NAME,
	PKT_NONE,
};

static const char * const packet_fields[] = {
	[PKT_DEVICE]		= "device",
	[PKT_OUT_DEVICE]	= "out_device",
	[PKT_LENGTH]		= "length",
	[PKT_MARK]		= "mark",
	[PKT_VERSION]	= "version",
	[PKT_PROTOCOL]	= "protocol",
	[PKT_SADDR]		= "saddr",
	[PKT_DADDR]		= "daddr",
	[PKT_SPORT]		= "sport",
	[PKT_DPORT]		= "dport",
	[PKT_FLAGS]		= "flags",
	[PKT_TTL]		= "ttl",
	[PKT_FRAGMENT]	= "fragment",
	[PKT_PAYLOAD]	= "payload",
	[PKT_PAYLOAD_LENGTH]	= "payload_length",
};

/**
 * struct packet_point - a kind of packets that a probe waits for
 * @point: the point
 * @list: in packet_points, while @net is not NULL
 * @net: the namespace that has the hooks; NULL: they are not registered
 * @hooks: the hooks of both families
 * @ended: the namespace has ended
 * @headers: the probe reads headers
 * @fields: by field of the program: enum packet_field
 */
struct packet_point {
	struct ktap_point point;
	struct list_head list;
	struct net *net;
	struct nf_hook_ops hooks;
	bool ended;
	bool headers;
	u8 fields[];
};

/**
 * struct packet_hit - a packet at a hook
 * @hit: the event
 * @skb: the packet
 * @state: the hook
 * @verdict: gets the verdict, of netfilter
 * @headers: what the headers say, if &packet_point.headers is set
 */
struct packet_hit {
	struct ktap_hit hit;
	const struct sk_buff *skb;
	const struct nf_hook_state *state;
	unsigned int *verdict;
	struct ktap_packet headers;
};

static DEFINE_MUTEX(packet_lock);
static LIST_HEAD(packet_points);	/* protected by packet_lock */

static const struct packet_hit *packet_hit_of(const struct ktap_event *ev)
{
	return container_of(ev, struct packet_hit, hit.ev);
}

static struct packet_point *packet_point_of(const struct ktap_point *point)
{
	return container_of(point, struct packet_point, point);
}

static void packet_name(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_point *point = ktap_hit_of(ev)->point;

	*v = KTAP_VALUE_STR(point->name, point->name_len);
}

/* The device may get another name meanwhile: copy this one. */
static void packet_get_device(struct ktap_vm *vm, const struct net_device *dev,
			      struct ktap_value *v)
{
	char name[IFNAMSIZ];

	if (!dev)
		return;
	memcpy(name, dev->name, sizeof(name));
	ktap_make_string(vm, name, strnlen(name, sizeof(name)), v);
}

static void packet_get_address(struct ktap_vm *vm, const struct ktap_packet *p, const u8 *address,
			       struct ktap_value *v)
{
	char text[48];
	int len;

	if (!p->version || ktap_vm_charge(vm, PKT_ADDRESS_COST))
		return;
	len = scnprintf(text, sizeof(text), p->version == 4 ? "%pI4" : "%pI6c", address);
	ktap_make_string(vm, text, len, v);
}

static void packet_get_payload(struct ktap_vm *vm, const struct packet_hit *h,
			       struct ktap_value *v)
{
	u32 len = min(h->headers.payload_len, PKT_MAX_PAYLOAD);
	void *data;

	if (h->headers.payload < 0 || ktap_vm_charge(vm, len / 64))
		return;
	data = ktap_arena_alloc(vm, len);
	if (data && !skb_copy_bits(h->skb, h->headers.payload, data, len))
		*v = KTAP_VALUE_STR(data, len);
}

/* A number, or nil if it is negative, which means unknown */
static void packet_get_known(s64 i, struct ktap_value *v)
{
	if (i >= 0)
		*v = KTAP_VALUE_INT(i);
}

static void packet_get_header(struct ktap_vm *vm, enum packet_field field, struct ktap_value *v)
{
	const struct packet_hit *h = packet_hit_of(vm->event);
	const struct ktap_packet *p = &h->headers;

	switch (field) {
	case PKT_VERSION:
		packet_get_known(p->version ?: -1, v);
		break;
	case PKT_PROTOCOL:
		packet_get_known(p->protocol, v);
		break;
	case PKT_SADDR:
		packet_get_address(vm, p, p->saddr, v);
		break;
	case PKT_DADDR:
		packet_get_address(vm, p, p->daddr, v);
		break;
	case PKT_SPORT:
		packet_get_known(p->has_ports ? p->sport : -1, v);
		break;
	case PKT_DPORT:
		packet_get_known(p->has_ports ? p->dport : -1, v);
		break;
	case PKT_FLAGS:
		packet_get_known(p->flags, v);
		break;
	case PKT_TTL:
		packet_get_known(p->version ? p->ttl : -1, v);
		break;
	case PKT_FRAGMENT:
		if (p->version)
			*v = KTAP_VALUE_BOOL(p->fragment);
		break;
	case PKT_PAYLOAD:
		packet_get_payload(vm, h, v);
		break;
	case PKT_PAYLOAD_LENGTH:
		packet_get_known(p->payload < 0 ? -1 : (s64)p->payload_len, v);
		break;
	default:
		break;
	}
}

static void packet_get(struct ktap_vm *vm, enum packet_field field, struct ktap_value *v)
{
	const struct packet_hit *h = packet_hit_of(vm->event);

	*v = KTAP_VALUE_NIL;
	switch (field) {
	case PKT_DEVICE:
		packet_get_device(vm, h->state->in ?: h->state->out, v);
		break;
	case PKT_OUT_DEVICE:
		packet_get_device(vm, h->state->out, v);
		break;
	case PKT_LENGTH:
		*v = KTAP_VALUE_INT(h->skb->len);
		break;
	case PKT_MARK:
		*v = KTAP_VALUE_INT(h->skb->mark);
		break;
	case PKT_NAME:
		packet_name(vm->event, v);
		break;
	default:
		packet_get_header(vm, field, v);
	}
}

static void packet_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	packet_get(vm, packet_point_of(ktap_hit_of(vm->event)->point)->fields[index], v);
}

static void packet_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	packet_get(vm, ktap_index(&n, ARRAY_SIZE(packet_fields)) ? n : PKT_NONE, v);
}

static void packet_nth(struct ktap_vm *vm, s64 n, struct ktap_value *v)
{
	packet_arg(vm, n > 0 && n <= ARRAY_SIZE(packet_fields) ? n - 1 : PKT_NONE, v);
}

#ifdef CONFIG_KTAP_PACKET_VERDICT
static int packet_verdict(struct ktap_vm *vm, int verdict)
{
	const struct packet_hit *h = packet_hit_of(vm->event);

	if (verdict == KTAP_PACKET_DROP)
		*h->verdict = NF_DROP;
	else if (verdict == KTAP_PACKET_ACCEPT)
		*h->verdict = NF_ACCEPT;
	else	/* Without a program that reads the queue, the packet passes. */
		*h->verdict = NF_QUEUE_NR(verdict) | NF_VERDICT_FLAG_QUEUE_BYPASS;
	return 0;
}
#endif

static const struct ktap_event_ops packet_ops = {
	.name = packet_name,
	.field = packet_field,
	.nth = packet_nth,
	.arg = packet_arg,
#ifdef CONFIG_KTAP_PACKET_VERDICT
	.verdict = packet_verdict,
#endif
};

static unsigned int packet_hook(void *priv, struct sk_buff *skb,
				const struct nf_hook_state *state)
{
	/* All members that packet_ops reads are set below. */
	struct packet_hit h __uninitialized;
	struct packet_point *p = priv;
	unsigned long errors;
	unsigned int verdict = NF_ACCEPT;

	if (!ktap_delivers(p->point.probe->session))
		return NF_ACCEPT;
	h.hit.ev.ops = &packet_ops;
	h.hit.point = &p->point;
	ktap_note_here(&h.hit.here);
	h.skb = skb;
	h.state = state;
	h.verdict = &verdict;
	if (p->headers)
		ktap_packet_parse(skb, state->pf == NFPROTO_IPV6 ? 6 : 4, &h.headers);
	guard(preempt_notrace)();
	errors = __this_cpu_read(p->point.probe->stats->errors.low);
	ktap_fire(&h.hit);
	/* After an error, also one of an interrupt, the packet passes. */
	if (errors != __this_cpu_read(p->point.probe->stats->errors.low))
		verdict = NF_ACCEPT;
	return verdict;
}
NOKPROBE_SYMBOL(packet_hook);

/* Remove the hooks, unless that is done. */
static void packet_unhook(struct packet_point *p)
{
	lockdep_assert_held(&packet_lock);
	if (!p->net)
		return;
	nf_unregister_net_hook(p->net, &p->hooks);
	list_del(&p->list);
	p->net = NULL;
}

/* Leave room in the namespace for the hooks of others. */
static bool packet_has_room(const struct net *net, unsigned int hooknum)
{
	const struct packet_point *p;
	unsigned int n = 0;

	lockdep_assert_held(&packet_lock);
	list_for_each_entry(p, &packet_points, list)
		n += p->net == net && p->hooks.hooknum == hooknum;
	return n < PKT_MAX_HOOKS;
}

static int packet_attach(struct ktap_point *point)
{
	struct packet_point *p = packet_point_of(point);
	struct net *net = current->nsproxy->net_ns;
	int err;

	if (kallsyms_lookup_size_offset((unsigned long)packet_hook, &point->entry_size, NULL))
		point->entry = (unsigned long)packet_hook;
	guard(mutex)(&packet_lock);
	if (!packet_has_room(net, p->hooks.hooknum))
		return -E2BIG;
	err = nf_register_net_hook(net, &p->hooks);
	if (err)
		return err;
	p->net = net;
	list_add(&p->list, &packet_points);
	return 0;
}

static void packet_detach(struct ktap_point *point)
{
	struct packet_point *p = packet_point_of(point);

	scoped_guard(mutex, &packet_lock)
		packet_unhook(p);
	if (p->ended)
		ktap_output_note(&point->probe->session->output,
				 "'packet:%s': the network namespace ended before the session",
				 point->name);
}

static void packet_release(struct ktap_point *point)
{
	kfree(packet_point_of(point));
}

static const char *packet_why(int err)
{
	return err == -E2BIG ? "the network namespace has no room for more hooks of netfilter" :
			       NULL;
}

static bool packet_has(const struct ktap_point *point, enum ktap_part part, u32 n)
{
	switch (part) {
	case KTAP_PART_FIELD:
		return packet_point_of(point)->fields[n] != PKT_NONE;
	case KTAP_PART_ARG:
		return n < ARRAY_SIZE(packet_fields);
	default:
		return false;
	}
}

static void packet_near(const struct ktap_point *point, struct ktap_suggest *near)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(packet_fields); i++)
		ktap_suggest_look(near, packet_fields[i]);
}

static const char *packet_advice(const struct ktap_point *point)
{
	return "a packet has device, length, protocol, saddr, daddr, sport, dport and others";
}

const struct ktap_source ktap_packet_source = {
	.name = "packet",
	.attach = packet_attach,
	.refused = "netfilter does not accept its hook",
	.why = packet_why,
	.has = packet_has,
	.near = packet_near,
	.advice = packet_advice,
	.detach = packet_detach,
	.release = packet_release,
};

/* The events, and the hooks that they are */
static const struct {
	const char *name;
	u8 hook;
} packet_kinds[] = {
	{ "in",		NF_INET_LOCAL_IN },
	{ "out",	NF_INET_LOCAL_OUT },
	{ "forward",	NF_INET_FORWARD },
};

static void packet_find_fields(struct packet_point *p, const struct ktap_program *prog)
{
	const struct ktap_plan *plan = &p->point.probe->plan;
	const char *name;
	int field;
	u32 i;

	p->headers = plan->event;
	for (i = 0; i < prog->nfields; i++) {
		name = prog->fields[i]->blob;
		p->fields[i] = PKT_NONE;
		/* e.name is the event's name. */
		if (i >= prog->nown_fields && !strcmp(name, "name"))
			p->fields[i] = PKT_NAME;
		field = match_string(packet_fields, ARRAY_SIZE(packet_fields), name);
		if (field < 0)
			continue;
		p->fields[i] = field;
		p->headers |= field >= PKT_VERSION && test_bit(i, plan->fields);
	}
}

static bool packet_is_full(const struct ktap_session *s)
{
	const struct ktap_point *point;
	unsigned int n = 0;

	list_for_each_entry(point, &s->points, list)
		n += point->source == &ktap_packet_source;
	return n >= PKT_MAX_POINTS;
}

static int packet_add(struct ktap_vm *vm, struct ktap_probe *probe, unsigned int kind)
{
	const struct ktap_program *prog = vm->env->prog;
	struct ktap_session *s = probe->session;
	struct packet_point *p;

	if (packet_is_full(s))
		return ktap_vm_error(vm, -E2BIG, "more than %u packet events in one script",
				     PKT_MAX_POINTS);
	if (ktap_probe_charge(probe, struct_size(p, fields, prog->nfields) + PKT_KERNEL_BYTES))
		return -ENOMEM;
	p = kzalloc_flex(*p, fields, prog->nfields, KTAP_GFP);
	if (!p)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	p->hooks.hook = packet_hook;
	p->hooks.priv = p;
	p->hooks.pf = NFPROTO_INET;
	p->hooks.hooknum = packet_kinds[kind].hook;
	p->hooks.priority = NF_IP_PRI_FIRST;
	/* Netfilter calls the newest hook of a priority first. */
	p->point.newest_first = true;
	ktap_point_init(&p->point, probe, &ktap_packet_source, packet_kinds[kind].name);
	packet_find_fields(p, prog);
	return 0;
}

int ktap_parse_packet(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	bool found = false;
	unsigned int i;
	int err;

	if (!probe->session->net_admin)
		return ktap_vm_error(vm, -EPERM,
				     "'%s': CAP_NET_ADMIN is needed to see packets", probe->event);
	for (i = 0; i < ARRAY_SIZE(packet_kinds); i++) {
		if (!glob_match(rest, packet_kinds[i].name))
			continue;
		err = packet_add(vm, probe, i);
		if (err)
			return err;
		found = true;
	}
	if (found)
		return 0;
	return ktap_vm_error(vm, -ENOENT,
			     "no event '%s': there are packet:in, packet:out and packet:forward",
			     probe->event);
}

#ifdef CONFIG_KTAP_PACKET_VERDICT
static bool packet_decides(const struct ktap_code *insn, void *unused)
{
	return insn->op == KTAP_OP_CALLB && insn->d == KTAP_FN_VERDICT;
}

static bool packet_is_of(const struct ktap_probe *probe)
{
	const struct ktap_point *point;

	list_for_each_entry(point, &probe->session->points, list) {
		if (point->probe == probe)
			return point->source == &ktap_packet_source;
	}
	return false;
}

/* Refuse a probe that calls verdict() but has no packets. */
int ktap_packet_check(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	if (!ktap_probe_calls(probe, packet_decides, NULL))
		return 0;
	if (!packet_is_of(probe))
		return ktap_vm_error(vm, -EINVAL,
				     "'%s': verdict works at packets: packet:in, packet:out, packet:forward",
				     probe->event);
	return 0;
}
#endif

/* The namespace ends: nobody can use it any more. */
static void __net_exit packet_net_exit(struct net *net)
{
	struct packet_point *p, *next;

	guard(mutex)(&packet_lock);
	list_for_each_entry_safe(p, next, &packet_points, list) {
		if (p->net != net)
			continue;
		packet_unhook(p);
		p->ended = true;
	}
}

static struct pernet_operations packet_net_ops = {
	.exit = packet_net_exit,
};

/* Must run before tracefs.c creates the files. */
static int __init ktap_packet_init(void)
{
	return register_pernet_subsys(&packet_net_ops);
}
subsys_initcall(ktap_packet_init);
