// SPDX-License-Identifier: GPL-2.0
/*
 * Read a queue of netfilter (nfnetlink_queue), and decide about its packets, for packet.sh.
 *
 *	queue NUMBER N accept|drop	prints "ready", decides about N packets, and exits
 *	queue NUMBER 0 leave		prints "ready", and leaves all packets in the queue
 */
#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>

struct request {
	struct nlmsghdr head;
	struct nfgenmsg family;
	struct nlattr attr;
	char data[16];
};

/* Send a request with one attribute. */
static int queue_send(int s, int number, int type, int flags, int attr, const void *data, int size)
{
	struct request r = {
		.head = {
			.nlmsg_len = offsetof(struct request, data) + NLA_ALIGN(size),
			.nlmsg_type = NFNL_SUBSYS_QUEUE << 8 | type,
			.nlmsg_flags = NLM_F_REQUEST | flags,
		},
		.family = { .nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0,
			    .res_id = htons(number) },
		.attr = { .nla_len = sizeof(struct nlattr) + size, .nla_type = attr },
	};

	memcpy(r.data, data, size);
	return send(s, &r, r.head.nlmsg_len, 0) == r.head.nlmsg_len ? 0 : -1;
}

/* Send a request, and wait for its answer: 0 or -1. */
static int queue_set(int s, int number, int attr, const void *data, int size)
{
	char buf[4096] __attribute__((aligned(8)));
	struct nlmsghdr *head = (void *)buf;
	struct nlmsgerr *answer = NLMSG_DATA(head);

	if (queue_send(s, number, NFQNL_MSG_CONFIG, NLM_F_ACK, attr, data, size) ||
	    recv(s, buf, sizeof(buf), 0) < (ssize_t)NLMSG_LENGTH(sizeof(*answer)))
		return -1;
	return head->nlmsg_type == NLMSG_ERROR && !answer->error ? 0 : -1;
}

/* Return the number of the packet in network byte order; 0: the message has none. */
static __be32 queue_packet(struct nlmsghdr *head)
{
	struct nlattr *attr = (void *)((char *)NLMSG_DATA(head) +
				       NLMSG_ALIGN(sizeof(struct nfgenmsg)));
	char *end = (char *)head + head->nlmsg_len;

	if (head->nlmsg_type != (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET))
		return 0;
	for (; (char *)attr < end; attr = (void *)((char *)attr + NLA_ALIGN(attr->nla_len))) {
		if ((attr->nla_type & NLA_TYPE_MASK) == NFQA_PACKET_HDR)
			return ((struct nfqnl_msg_packet_hdr *)(attr + 1))->packet_id;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct nfqnl_msg_config_cmd bind = { .command = NFQNL_CFG_CMD_BIND };
	struct nfqnl_msg_config_params copy = { .copy_mode = NFQNL_COPY_META };
	struct nfqnl_msg_verdict_hdr verdict = { };
	char buf[8192] __attribute__((aligned(8)));
	struct nlmsghdr *head = (void *)buf;
	int s, number, n;

	if (argc != 4)
		return 2;
	number = atoi(argv[1]);
	n = atoi(argv[2]);
	verdict.verdict = htonl(strcmp(argv[3], "drop") ? NF_ACCEPT : NF_DROP);
	s = socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER);
	if (s < 0 || queue_set(s, number, NFQA_CFG_CMD, &bind, sizeof(bind)) ||
	    queue_set(s, number, NFQA_CFG_PARAMS, &copy, sizeof(copy))) {
		perror("queue");
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	if (!strcmp(argv[3], "leave"))
		pause();
	while (n) {
		if (recv(s, buf, sizeof(buf), 0) < (ssize_t)sizeof(*head))
			return 1;
		verdict.id = queue_packet(head);
		if (!verdict.id)
			continue;
		if (queue_send(s, number, NFQNL_MSG_VERDICT, 0, NFQA_VERDICT_HDR, &verdict,
			       sizeof(verdict)))
			return 1;
		n--;
	}
	return 0;
}
