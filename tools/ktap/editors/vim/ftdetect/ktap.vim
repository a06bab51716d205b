" SPDX-License-Identifier: GPL-2.0
" Scripts of ktap: by their name, or by their first line.
autocmd BufNewFile,BufRead *.kp setfiletype ktap
autocmd BufNewFile,BufRead * if getline(1) =~# '^#!.*\<ktap\>' | setfiletype ktap | endif
