/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and settings of sessions that begin at boot (boot.c).
 */
#ifndef _KTAP_BOOT_SETTING_H
#define _KTAP_BOOT_SETTING_H

#include <linux/init.h>
#include <linux/types.h>

/* Bytes of the name of a session: as many as the tool takes */
#define KTAP_MAX_BOOT_NAME	64

/* Room for a message: the longest one, and a key (XBC_KEYLEN_MAX) */
#define KTAP_BOOT_ERROR		512

/* load/boot_chunk.S: the contents of CONFIG_KTAP_BOOT_CHUNK; empty if it names no file */
extern const char __ktap_boot_chunk[], __ktap_boot_chunk_end[];

/**
 * ktap_boot_next_file() - Take the first file of the list of the parameter ktap=
 * @list: names separated by commas; set to the rest, and NULL after the last one
 *
 * Return: the first name that is not empty, or NULL.
 */
char * __init ktap_boot_next_file(char **list);

/**
 * ktap_boot_name() - Make the name of a session
 * @name: gets it, KTAP_MAX_BOOT_NAME + 1 bytes
 * @path: the file, whose name without folders and .ktap is used if there is no @given
 * @given: the name in the bootconfig, or NULL
 *
 * Return: false if it is no name of a session.
 */
bool __init ktap_boot_name(char *name, const char *path, const char *given);

/**
 * ktap_boot_setting() - Find what a setting of the bootconfig stands for
 * @key: its name
 * @nvalues: number of its values; -1: it has keys of its own
 * @error: gets a message, KTAP_BOOT_ERROR bytes, without newline
 *
 * Return: the first word of the lines of the session that the setting is, one for each value, or
 * one if there are none; "" if it is no line; or NULL, with @error, if it is wrong.
 */
const char * __init ktap_boot_setting(const char *key, int nvalues, char *error);

/* Return false, with a message in @error, if the value cannot be in a line. */
bool __init ktap_boot_value(const char *key, const char *value, char *error);

#endif /* _KTAP_BOOT_SETTING_H */
