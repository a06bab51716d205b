" SPDX-License-Identifier: GPL-2.0
" Settings for scripts of ktap, in the layout of `ktapc --fmt`.
if exists("b:did_ftplugin")
	finish
endif
let b:did_ftplugin = 1

setlocal commentstring=#\ %s comments=:#,://,s1:/*,mb:*,ex:*/
setlocal noexpandtab shiftwidth=8 tabstop=8 smartindent
let b:undo_ftplugin = "setlocal commentstring< comments< expandtab< shiftwidth< tabstop< smartindent<"
