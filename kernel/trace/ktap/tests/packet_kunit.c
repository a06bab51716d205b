// SPDX-License-Identifier: GPL-2.0
/*
 * Headers of packets: complete ones, cut ones, fragments, and extension headers of IPv6.
 */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include <net/ip.h>
#include <net/ipv6.h>

#include "event/packet.h"

/* Bytes of a packet, as they are built */
struct bytes {
	u8 data[256];
	unsigned int len;
};

static void *put(struct bytes *b, const void *data, unsigned int len)
{
	void *at = b->data + b->len;

	memcpy(at, data, len);
	b->len += len;
	return at;
}

static struct iphdr *put_ipv4(struct bytes *b, u8 protocol, unsigned int ihl)
{
	const struct iphdr ip = {
		.version = 4, .ihl = ihl, .ttl = 61, .protocol = protocol,
		.saddr = htonl(0x0a000001), .daddr = htonl(0x0a0000ff),
	};
	static const u8 options[40];
	struct iphdr *at = put(b, &ip, sizeof(ip));

	if (ihl > 5)
		put(b, options, ihl * 4 - sizeof(ip));
	return at;
}

static void put_ipv6(struct bytes *b, u8 next)
{
	struct ipv6hdr ip = { .version = 6, .nexthdr = next, .hop_limit = 62 };

	ip.saddr.s6_addr[15] = 1;
	ip.daddr.s6_addr[15] = 2;
	put(b, &ip, sizeof(ip));
}

/* @units: of 8 bytes, after the first 8 */
static void put_extension(struct bytes *b, u8 next, u8 units)
{
	const u8 header[64] = { next, units };

	put(b, header, 8 + units * 8);
}

static void put_fragment(struct bytes *b, u8 next, u16 offset)
{
	const struct frag_hdr fragment = { .nexthdr = next, .frag_off = htons(offset) };

	put(b, &fragment, sizeof(fragment));
}

static struct tcphdr *put_tcp(struct bytes *b, unsigned int doff)
{
	const struct tcphdr tcp = {
		.source = htons(40000), .dest = htons(80), .doff = doff, .syn = 1, .ack = 1,
	};
	static const u8 options[40];
	struct tcphdr *at = put(b, &tcp, sizeof(tcp));

	if (doff > 5)
		put(b, options, doff * 4 - sizeof(tcp));
	return at;
}

static void put_udp(struct bytes *b)
{
	const struct udphdr udp = { .source = htons(53), .dest = htons(5353) };

	put(b, &udp, sizeof(udp));
}

/* Parse the first @len bytes, of which @linear are in the buffer and the rest in a page. */
static struct ktap_packet parse(struct kunit *test, const struct bytes *b, unsigned int len,
				unsigned int linear, u8 version)
{
	struct sk_buff *skb = alloc_skb(linear, GFP_KERNEL);
	struct ktap_packet p;
	struct page *page;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, b->data, linear);
	skb_reset_network_header(skb);
	if (len > linear) {
		page = alloc_page(GFP_KERNEL);
		if (!page)
			kfree_skb(skb);
		KUNIT_ASSERT_NOT_NULL(test, page);
		memcpy(page_address(page), b->data + linear, len - linear);
		skb_add_rx_frag(skb, 0, page, 0, len - linear, PAGE_SIZE);
	}
	memset(&p, 0xa5, sizeof(p));
	ktap_packet_parse(skb, version, &p);
	kfree_skb(skb);
	return p;
}

static struct ktap_packet parse_all(struct kunit *test, const struct bytes *b, u8 version)
{
	return parse(test, b, b->len, b->len, version);
}

static void expect_ports(struct kunit *test, const struct ktap_packet *p, u16 sport, u16 dport)
{
	KUNIT_EXPECT_TRUE(test, p->has_ports);
	KUNIT_EXPECT_EQ(test, p->sport, sport);
	KUNIT_EXPECT_EQ(test, p->dport, dport);
}

static void expect_no_transport(struct kunit *test, const struct ktap_packet *p)
{
	KUNIT_EXPECT_FALSE(test, p->has_ports);
	KUNIT_EXPECT_EQ(test, p->flags, -1);
	KUNIT_EXPECT_EQ(test, p->payload, -1);
}

static void tcp_over_ipv4_with_options(struct kunit *test)
{
	static const u8 from[4] = { 10, 0, 0, 1 }, to[4] = { 10, 0, 0, 255 };
	struct bytes b = {};
	struct ktap_packet p;
	unsigned int linear;

	put_ipv4(&b, IPPROTO_TCP, 7);
	put_tcp(&b, 8);
	put(&b, "hello", 5);
	/* wherever the buffer ends and the page begins */
	for (linear = 0; linear <= b.len; linear++) {
		p = parse(test, &b, b.len, linear, 4);
		KUNIT_EXPECT_EQ(test, p.version, 4);
		KUNIT_EXPECT_EQ(test, p.ttl, 61);
		KUNIT_EXPECT_FALSE(test, p.fragment);
		KUNIT_EXPECT_EQ(test, p.protocol, IPPROTO_TCP);
		KUNIT_EXPECT_EQ(test, p.flags, 0x12);
		expect_ports(test, &p, 40000, 80);
		KUNIT_EXPECT_EQ(test, p.payload, 28 + 32);
		KUNIT_EXPECT_EQ(test, p.payload_len, 5);
		KUNIT_EXPECT_MEMEQ(test, p.saddr, from, 4);
		KUNIT_EXPECT_MEMEQ(test, p.daddr, to, 4);
	}
}

static void cut_packets_have_what_is_complete(struct kunit *test)
{
	struct bytes b = {};
	struct ktap_packet p;
	unsigned int len;

	put_ipv4(&b, IPPROTO_TCP, 6);
	put_tcp(&b, 6);
	put(&b, "x", 1);
	for (len = 0; len <= b.len; len++) {
		p = parse(test, &b, len, len, 4);
		KUNIT_EXPECT_EQ(test, p.version, len < 20 ? 0 : 4);
		KUNIT_EXPECT_EQ(test, p.protocol, len < 20 ? -1 : IPPROTO_TCP);
		KUNIT_EXPECT_EQ(test, p.has_ports, len >= 24 + 4);
		KUNIT_EXPECT_EQ(test, p.flags, len < 24 + 20 ? -1 : 0x12);
		KUNIT_EXPECT_EQ(test, p.payload, len < 24 + 24 ? -1 : 24 + 24);
		if (p.payload >= 0)
			KUNIT_EXPECT_EQ(test, p.payload_len, len - 24 - 24);
	}
}

static void wrong_lengths_and_versions_are_not_followed(struct kunit *test)
{
	struct bytes b = {};
	struct ktap_packet p;
	struct tcphdr *tcp;
	struct iphdr *ip;

	ip = put_ipv4(&b, IPPROTO_TCP, 5);
	tcp = put_tcp(&b, 5);
	p = parse_all(test, &b, 6);
	KUNIT_EXPECT_EQ(test, p.version, 0);
	KUNIT_EXPECT_EQ(test, p.protocol, -1);
	expect_no_transport(test, &p);

	ip->ihl = 4;
	p = parse_all(test, &b, 4);
	KUNIT_EXPECT_EQ(test, p.version, 4);
	KUNIT_EXPECT_EQ(test, p.protocol, IPPROTO_TCP);
	expect_no_transport(test, &p);

	ip->ihl = 5;
	tcp->doff = 4;
	p = parse_all(test, &b, 4);
	expect_ports(test, &p, 40000, 80);
	KUNIT_EXPECT_EQ(test, p.payload, -1);
	/* the header claims more than there is */
	tcp->doff = 15;
	p = parse_all(test, &b, 4);
	KUNIT_EXPECT_EQ(test, p.payload, -1);

	b = (struct bytes){};
	put_ipv6(&b, IPPROTO_TCP);
	b.data[0] = 0x45;
	p = parse_all(test, &b, 6);
	KUNIT_EXPECT_EQ(test, p.version, 0);
}

static void only_the_first_fragment_has_ports(struct kunit *test)
{
	struct bytes b = {};
	struct ktap_packet p;
	struct iphdr *ip;

	ip = put_ipv4(&b, IPPROTO_UDP, 5);
	put_udp(&b);
	ip->frag_off = htons(IP_MF);
	p = parse_all(test, &b, 4);
	KUNIT_EXPECT_TRUE(test, p.fragment);
	expect_ports(test, &p, 53, 5353);

	ip->frag_off = htons(IP_MF | 1);
	p = parse_all(test, &b, 4);
	KUNIT_EXPECT_TRUE(test, p.fragment);
	KUNIT_EXPECT_EQ(test, p.protocol, IPPROTO_UDP);
	expect_no_transport(test, &p);

	/* the last one */
	ip->frag_off = htons(1);
	p = parse_all(test, &b, 4);
	KUNIT_EXPECT_TRUE(test, p.fragment);
	expect_no_transport(test, &p);

	/* a packet that must not be fragmented is no fragment */
	ip->frag_off = htons(IP_DF);
	p = parse_all(test, &b, 4);
	KUNIT_EXPECT_FALSE(test, p.fragment);
	expect_ports(test, &p, 53, 5353);
}

static void extension_headers_are_skipped(struct kunit *test)
{
	struct bytes b = {};
	struct ktap_packet p;
	unsigned int len;

	put_ipv6(&b, NEXTHDR_HOP);
	put_extension(&b, NEXTHDR_ROUTING, 0);
	put_extension(&b, NEXTHDR_AUTH, 2);
	/* its length counts units of 4 bytes, less 2 */
	put_extension(&b, NEXTHDR_DEST, 2);
	b.data[72 + 1] = 4;
	put_extension(&b, NEXTHDR_UDP, 1);
	put_udp(&b);
	p = parse_all(test, &b, 6);
	KUNIT_EXPECT_EQ(test, p.version, 6);
	KUNIT_EXPECT_EQ(test, p.ttl, 62);
	KUNIT_EXPECT_EQ(test, p.protocol, IPPROTO_UDP);
	KUNIT_EXPECT_FALSE(test, p.fragment);
	KUNIT_EXPECT_EQ(test, p.saddr[15], 1);
	KUNIT_EXPECT_EQ(test, p.daddr[15], 2);
	expect_ports(test, &p, 53, 5353);
	KUNIT_EXPECT_EQ(test, p.payload, b.len);
	KUNIT_EXPECT_EQ(test, p.payload_len, 0);

	for (len = 0; len < b.len; len++) {
		p = parse(test, &b, len, len, 6);
		KUNIT_EXPECT_EQ(test, p.version, len < 40 ? 0 : 6);
		KUNIT_EXPECT_EQ(test, p.has_ports, len >= b.len - 4);
		KUNIT_EXPECT_EQ(test, p.payload, -1);
	}
}

static void fragments_of_ipv6(struct kunit *test)
{
	struct bytes b = {};
	struct ktap_packet p;

	put_ipv6(&b, NEXTHDR_FRAGMENT);
	put_fragment(&b, NEXTHDR_UDP, IP6_MF);
	put_udp(&b);
	p = parse_all(test, &b, 6);
	KUNIT_EXPECT_TRUE(test, p.fragment);
	expect_ports(test, &p, 53, 5353);

	b.len = 0;
	put_ipv6(&b, NEXTHDR_FRAGMENT);
	put_fragment(&b, NEXTHDR_UDP, 8);
	put_udp(&b);
	p = parse_all(test, &b, 6);
	KUNIT_EXPECT_TRUE(test, p.fragment);
	KUNIT_EXPECT_EQ(test, p.protocol, IPPROTO_UDP);
	expect_no_transport(test, &p);

	/* in the first fragment an extension header precedes the transport header */
	b.len = 0;
	put_ipv6(&b, NEXTHDR_FRAGMENT);
	put_fragment(&b, NEXTHDR_DEST, 8);
	p = parse_all(test, &b, 6);
	KUNIT_EXPECT_EQ(test, p.protocol, -1);
	expect_no_transport(test, &p);

	/* a whole packet with a fragment header */
	b.len = 0;
	put_ipv6(&b, NEXTHDR_FRAGMENT);
	put_fragment(&b, NEXTHDR_UDP, 0);
	put_udp(&b);
	p = parse_all(test, &b, 6);
	KUNIT_EXPECT_FALSE(test, p.fragment);
	expect_ports(test, &p, 53, 5353);
}

static void extension_headers_are_counted(struct kunit *test)
{
	struct bytes b = {};
	struct ktap_packet p;
	unsigned int i;

	put_ipv6(&b, NEXTHDR_DEST);
	for (i = 1; i < KTAP_MAX_EXTENSIONS; i++)
		put_extension(&b, NEXTHDR_DEST, 0);
	put_extension(&b, NEXTHDR_UDP, 0);
	put_udp(&b);
	p = parse_all(test, &b, 6);
	expect_ports(test, &p, 53, 5353);

	b.len = 0;
	put_ipv6(&b, NEXTHDR_DEST);
	for (i = 0; i < KTAP_MAX_EXTENSIONS; i++)
		put_extension(&b, NEXTHDR_DEST, 0);
	put_extension(&b, NEXTHDR_UDP, 0);
	put_udp(&b);
	p = parse_all(test, &b, 6);
	KUNIT_EXPECT_EQ(test, p.version, 6);
	KUNIT_EXPECT_EQ(test, p.protocol, -1);
	expect_no_transport(test, &p);
}

static void other_protocols(struct kunit *test)
{
	struct bytes b = {};
	struct ktap_packet p;

	put_ipv4(&b, IPPROTO_ICMP, 5);
	put(&b, "\10\0icmp", 6);
	p = parse_all(test, &b, 4);
	KUNIT_EXPECT_EQ(test, p.protocol, IPPROTO_ICMP);
	KUNIT_EXPECT_FALSE(test, p.has_ports);
	KUNIT_EXPECT_EQ(test, p.flags, -1);
	KUNIT_EXPECT_EQ(test, p.payload, 20);
	KUNIT_EXPECT_EQ(test, p.payload_len, 6);

	b.len = 0;
	put_ipv6(&b, NEXTHDR_NONE);
	put(&b, "rest", 4);
	p = parse_all(test, &b, 6);
	KUNIT_EXPECT_EQ(test, p.protocol, NEXTHDR_NONE);
	expect_no_transport(test, &p);
}

static struct kunit_case packet_cases[] = {
	KUNIT_CASE(tcp_over_ipv4_with_options),
	KUNIT_CASE(cut_packets_have_what_is_complete),
	KUNIT_CASE(wrong_lengths_and_versions_are_not_followed),
	KUNIT_CASE(only_the_first_fragment_has_ports),
	KUNIT_CASE(extension_headers_are_skipped),
	KUNIT_CASE(fragments_of_ipv6),
	KUNIT_CASE(extension_headers_are_counted),
	KUNIT_CASE(other_protocols),
	{}
};

static struct kunit_suite packet_suite = {
	.name = "ktap_packet",
	.test_cases = packet_cases,
};

kunit_test_suite(packet_suite);
