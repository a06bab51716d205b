/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The headers of a packet.
 */
#ifndef _KTAP_PACKET_H
#define _KTAP_PACKET_H

#include <linux/types.h>

struct sk_buff;

/* Extension headers of IPv6 that are skipped, at most: a packet has room for thousands. */
#define KTAP_MAX_EXTENSIONS	8

/**
 * struct ktap_packet - what the headers of an IP packet say
 * @version: 4 or 6; 0: there is no complete header of the expected version, and all of
 *	the rest is unknown
 * @ttl: hop limit
 * @fragment: the packet is a fragment of a larger one
 * @has_ports: @sport and @dport are known
 * @protocol: the transport protocol, IPPROTO_*; -1: unknown
 * @flags: flags of TCP, a byte; -1: unknown
 * @sport: port of the sender
 * @dport: port of the receiver
 * @payload: offset of the data after the last header that is known, from the start of
 *	the socket buffer's data; -1: unknown
 * @payload_len: bytes of these data
 * @saddr: address of the sender, of 4 or 16 bytes
 * @daddr: address of the receiver
 */
struct ktap_packet {
	u8 version;
	u8 ttl;
	bool fragment;
	bool has_ports;
	s16 protocol;
	s16 flags;
	u16 sport;
	u16 dport;
	int payload;
	unsigned int payload_len;
	u8 saddr[16];
	u8 daddr[16];
};

/* packet_header.c */
void ktap_packet_parse(const struct sk_buff *skb, u8 version, struct ktap_packet *p);

#endif /* _KTAP_PACKET_H */
