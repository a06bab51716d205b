/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of a script: arguments of the form --NAME or --NAME=VALUE.
 */
#ifndef _KTAP_GETOPT_H
#define _KTAP_GETOPT_H

#include "vm/vm.h"

/**
 * ktap_option_take() - An argument of the script: is it an option?
 * @env: whose program says which options there are, and which keeps the value
 * @arg: the argument
 * @diag: what is wrong with it
 *
 * Of an option that is given twice the last value counts.
 * Context: process, before the program runs.
 * Return: 1 if it was one, 0 if not, also for "--"; with @diag filled -EINVAL if
 * the program has no such option, -ENOMEM.
 */
int ktap_option_take(struct ktap_env *env, const char *arg, struct ktap_diag *diag);

/**
 * ktap_options_take() - Takes the options away from the arguments of a script
 * @env: see there
 * @args: the arguments, its name the first; options are looked for up to "--"
 * @nargs: number of them
 * @diag: what is wrong with one
 *
 * The script's own come first then, in their order, and strings that it does not
 * get behind them: those are for the caller to free.
 * Context: process, before the program runs.
 * Return: number of the script's own; or as ktap_option_take().
 */
int ktap_options_take(struct ktap_env *env, struct ktap_value *args, unsigned int nargs,
		      struct ktap_diag *diag);

void ktap_options_destroy(struct ktap_env *env);

#endif /* _KTAP_GETOPT_H */
