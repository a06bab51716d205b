/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The script that is built into the kernel, for boot.c.
 */
	.section .init.rodata, "aw"
	.balign 8
	.global __ktap_boot_chunk
__ktap_boot_chunk:
	.incbin "kernel/trace/ktap/load/boot_chunk.ktap"
	.global __ktap_boot_chunk_end
__ktap_boot_chunk_end:
