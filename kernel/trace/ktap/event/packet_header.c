// SPDX-License-Identifier: GPL-2.0
/*
 * Read the headers of a packet.  Nothing is known about the packet yet: the sender may
 * have cut it, or have put anything into its headers.  All reads are copies by
 * skb_header_pointer(), which fails outside of the packet.
 */
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include <net/ip.h>
#include <net/ipv6.h>

#include "event/packet.h"

#define TCP_FLAGS_BYTE	13

/* The transport protocols that are known have both ports first. */
static void packet_header_ports(const struct sk_buff *skb, int at, struct ktap_packet *p)
{
	__be16 buf[2];
	const __be16 *ports = skb_header_pointer(skb, at, sizeof(buf), buf);

	if (!ports)
		return;
	p->has_ports = true;
	p->sport = ntohs(ports[0]);
	p->dport = ntohs(ports[1]);
}

static int packet_header_tcp(const struct sk_buff *skb, int at, struct ktap_packet *p)
{
	struct tcphdr buf;
	const struct tcphdr *tcp = skb_header_pointer(skb, at, sizeof(buf), &buf);

	if (!tcp)
		return -1;
	p->flags = ((const u8 *)tcp)[TCP_FLAGS_BYTE];
	return tcp->doff * 4 < sizeof(buf) ? -1 : at + tcp->doff * 4;
}

/* @at: offset of the transport header, which may be outside of the packet */
static void packet_header_transport(const struct sk_buff *skb, int at, struct ktap_packet *p)
{
	int payload = at;

	switch (p->protocol) {
	case IPPROTO_TCP:
		packet_header_ports(skb, at, p);
		payload = packet_header_tcp(skb, at, p);
		break;
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
		packet_header_ports(skb, at, p);
		payload = at + sizeof(struct udphdr);
		break;
	case IPPROTO_SCTP:
	case IPPROTO_DCCP:
		packet_header_ports(skb, at, p);
		payload = -1;
		break;
	}
	if (payload < 0 || payload > skb->len)
		return;
	p->payload = payload;
	p->payload_len = skb->len - payload;
}

static void packet_header_ipv4(const struct sk_buff *skb, int at, struct ktap_packet *p)
{
	struct iphdr buf;
	const struct iphdr *ip = skb_header_pointer(skb, at, sizeof(buf), &buf);

	if (!ip || ip->version != 4)
		return;
	p->version = 4;
	p->ttl = ip->ttl;
	p->fragment = ip_is_fragment(ip);
	p->protocol = ip->protocol;
	memcpy(p->saddr, &ip->saddr, sizeof(ip->saddr));
	memcpy(p->daddr, &ip->daddr, sizeof(ip->daddr));
	/* Only the first fragment has the transport header. */
	if (ip->ihl * 4 >= sizeof(buf) && !(ip->frag_off & htons(IP_OFFSET)))
		packet_header_transport(skb, at + ip->ihl * 4, p);
}

/*
 * Read the extension header @next at *@at.  Return the type of the header after it, and
 * advance *@at; or return -1 if it is cut, or if another fragment has the rest.
 */
static int packet_header_extension(const struct sk_buff *skb, u8 next, int *at,
				   struct ktap_packet *p)
{
	struct ipv6_opt_hdr opt_buf;
	const struct ipv6_opt_hdr *opt;
	struct frag_hdr frag_buf;
	const struct frag_hdr *frag;

	if (next == NEXTHDR_FRAGMENT) {
		frag = skb_header_pointer(skb, *at, sizeof(frag_buf), &frag_buf);
		if (!frag)
			return -1;
		p->fragment = frag->frag_off & htons(IP6_OFFSET | IP6_MF);
		*at += sizeof(*frag);
		if (!(frag->frag_off & htons(IP6_OFFSET)))
			return frag->nexthdr;
		/* It may be an extension header in the first fragment. */
		if (!ipv6_ext_hdr(frag->nexthdr))
			p->protocol = frag->nexthdr;
		return -1;
	}
	opt = skb_header_pointer(skb, *at, sizeof(opt_buf), &opt_buf);
	if (!opt)
		return -1;
	*at += next == NEXTHDR_AUTH ? ipv6_authlen(opt) : ipv6_optlen(opt);
	return opt->nexthdr;
}

static bool packet_header_is_extension(int next)
{
	return next == NEXTHDR_HOP || next == NEXTHDR_ROUTING || next == NEXTHDR_FRAGMENT ||
	       next == NEXTHDR_AUTH || next == NEXTHDR_DEST;
}

static void packet_header_ipv6(const struct sk_buff *skb, int at, struct ktap_packet *p)
{
	struct ipv6hdr buf;
	const struct ipv6hdr *ip = skb_header_pointer(skb, at, sizeof(buf), &buf);
	unsigned int n = 0;
	int next;

	if (!ip || ip->version != 6)
		return;
	p->version = 6;
	p->ttl = ip->hop_limit;
	memcpy(p->saddr, &ip->saddr, sizeof(ip->saddr));
	memcpy(p->daddr, &ip->daddr, sizeof(ip->daddr));
	next = ip->nexthdr;
	at += sizeof(buf);
	while (packet_header_is_extension(next)) {
		if (n++ == KTAP_MAX_EXTENSIONS)
			return;
		next = packet_header_extension(skb, next, &at, p);
	}
	if (next < 0)
		return;
	p->protocol = next;
	if (next != NEXTHDR_NONE)
		packet_header_transport(skb, at, p);
}

/**
 * ktap_packet_parse() - Read the headers of a packet
 * @skb: the packet; its network header is set
 * @version: the version of IP by which the packet is handled, 4 or 6
 * @p: gets what the headers say
 *
 * Context: any.
 */
void ktap_packet_parse(const struct sk_buff *skb, u8 version, struct ktap_packet *p)
{
	*p = (struct ktap_packet){ .protocol = -1, .flags = -1, .payload = -1 };
	if (version == 6)
		packet_header_ipv6(skb, skb_network_offset(skb), p);
	else
		packet_header_ipv4(skb, skb_network_offset(skb), p);
}
