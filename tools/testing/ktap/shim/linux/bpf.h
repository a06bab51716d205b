/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_BPF_H
#define _SHIM_LINUX_BPF_H

struct btf;

struct btf *bpf_get_btf_vmlinux(void);

#endif /* _SHIM_LINUX_BPF_H */
