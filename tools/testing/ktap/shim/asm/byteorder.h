/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_ASM_BYTEORDER_H
#define _SHIM_ASM_BYTEORDER_H

#include <endian.h>

#define le16_to_cpu(x)	le16toh(x)
#define le32_to_cpu(x)	le32toh(x)
#define le64_to_cpu(x)	le64toh(x)
#define cpu_to_le32(x)	htole32(x)

#endif /* _SHIM_ASM_BYTEORDER_H */
