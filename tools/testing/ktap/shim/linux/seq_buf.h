/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SEQ_BUF_H
#define _SHIM_LINUX_SEQ_BUF_H

#include <stdlib.h>
#include <string.h>

#include <linux/minmax.h>
#include <linux/types.h>

/* It has overflowed if @len is more than @size. */
struct seq_buf {
	char *buffer;
	size_t size;
	size_t len;
};

static inline void seq_buf_clear(struct seq_buf *s)
{
	s->len = 0;
	if (s->size)
		s->buffer[0] = '\0';
}

static inline void seq_buf_init(struct seq_buf *s, char *buf, unsigned int size)
{
	s->buffer = buf;
	s->size = size;
	seq_buf_clear(s);
}

static inline bool seq_buf_has_overflowed(const struct seq_buf *s)
{
	return s->len > s->size;
}

static inline void seq_buf_set_overflow(struct seq_buf *s)
{
	s->len = s->size + 1;
}

static inline unsigned int seq_buf_buffer_left(const struct seq_buf *s)
{
	return seq_buf_has_overflowed(s) ? 0 : s->size - s->len;
}

static inline unsigned int seq_buf_used(const struct seq_buf *s)
{
	return min(s->len, s->size);
}

static inline size_t seq_buf_get_buf(struct seq_buf *s, char **bufp)
{
	*bufp = seq_buf_buffer_left(s) ? s->buffer + s->len : NULL;
	return seq_buf_buffer_left(s);
}

static inline void seq_buf_commit(struct seq_buf *s, size_t num)
{
	if (num > seq_buf_buffer_left(s))
		abort();
	s->len += num;
}

static inline void seq_buf_pop(struct seq_buf *s)
{
	if (s->len)
		s->len--;
}

static inline void seq_buf_putmem(struct seq_buf *s, const void *mem, size_t len)
{
	if (len > seq_buf_buffer_left(s)) {
		seq_buf_set_overflow(s);
		return;
	}
	memcpy(s->buffer + s->len, mem, len);
	s->len += len;
}

#endif /* _SHIM_LINUX_SEQ_BUF_H */
