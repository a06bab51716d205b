/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of a script: arguments of the form --NAME or --NAME=VALUE.
 */
#ifndef _KTAP_GETOPT_H
#define _KTAP_GETOPT_H

struct ktap_diag;
struct ktap_env;
struct ktap_value;

/**
 * ktap_option_take() - Take an argument of the script if it is an option
 * @env: its program has the names of the options; it keeps the value
 * @arg: the argument
 * @diag: set to the error
 *
 * If an option is given twice, the last value counts.
 * Context: process, before the program runs.
 * Return: 1 if it was an option, 0 if not, also for "--"; with @diag set, -EINVAL if
 * the program has no such option, -ENOMEM.
 */
int ktap_option_take(struct ktap_env *env, const char *arg, struct ktap_diag *diag);

/**
 * ktap_options_take() - Separate the options from the other arguments of a script
 * @env: the environment; its program declares the options, and it gets their values
 * @args: the arguments, the script's name first; options are found up to "--"
 * @nargs: number of arguments
 * @diag: set to the error
 *
 * Afterwards the script's own arguments come first, in their order.  The others are strings
 * that the script does not get: the caller frees them.
 * Context: process, before the program runs.
 * Return: number of the script's own arguments; or as ktap_option_take().
 */
int ktap_options_take(struct ktap_env *env, struct ktap_value *args, unsigned int nargs,
		      struct ktap_diag *diag);

#endif /* _KTAP_GETOPT_H */
