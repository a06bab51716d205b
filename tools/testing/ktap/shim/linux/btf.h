/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_BTF_H
#define _SHIM_LINUX_BTF_H

#include_next <linux/btf.h>

#include <linux/types.h>

struct btf;

const struct btf_type *btf_type_by_id(const struct btf *btf, u32 id);
const char *btf_name_by_offset(const struct btf *btf, u32 offset);
u32 btf_nr_types(const struct btf *btf);
s32 btf_find_by_name_kind(const struct btf *btf, const char *name, u8 kind);
s32 bpf_find_btf_id(const char *name, u32 kind, struct btf **btf);
bool btf_is_module(const struct btf *btf);
const char *btf_get_name(const struct btf *btf);
void btf_get(struct btf *btf);
void btf_put(struct btf *btf);

static inline u16 btf_kind(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}

static inline bool btf_type_kflag(const struct btf_type *t)
{
	return BTF_INFO_KFLAG(t->info);
}

#endif /* _SHIM_LINUX_BTF_H */
