/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_ASM_BYTEORDER_H
#define _SHIM_ASM_BYTEORDER_H

#include <endian.h>

#include <linux/types.h>

#define le16_to_cpu(x)	le16toh(x)
#define le32_to_cpu(x)	le32toh(x)
#define le64_to_cpu(x)	le64toh(x)
#define be16_to_cpu(x)	be16toh(x)
#define be32_to_cpu(x)	be32toh(x)
#define cpu_to_be16(x)	htobe16(x)
#define cpu_to_be32(x)	htobe32(x)
#define cpu_to_le16(x)	htole16(x)
#define cpu_to_le32(x)	htole32(x)
#define cpu_to_le64(x)	htole64(x)

static inline void le32_add_cpu(__le32 *p, __u32 n)
{
	*p = cpu_to_le32(le32_to_cpu(*p) + n);
}

#endif /* _SHIM_ASM_BYTEORDER_H */
