# SPDX-License-Identifier: GPL-2.0
# The newest clang with its linker and tools.
# shellcheck shell=bash

# newest_clang TREE: the newest clang whose name has a version, with a linker; nothing if
# the kernel does not accept it
newest_clang() {
	local path v least newest=0
	least=$("$1/scripts/min-tool-version.sh" llvm)
	for path in /usr/bin/clang-[0-9]*; do
		v=${path##*-}
		if [[ $v =~ ^[0-9]+$ ]] && [ -x "/usr/bin/ld.lld-$v" ] && [ -x "/usr/bin/llvm-nm-$v" ] &&
		   [ "$v" -ge "${least%%.*}" ] && [ "$v" -gt "$newest" ]; then
			newest=$v
		fi
	done
	[ "$newest" = 0 ] || echo "$newest"
}

# have_clang TREE LOG: install one if there is none, for root
have_clang() {
	local v
	[ -z "$(newest_clang "$1")" ] || return 0
	v=$(apt-cache pkgnames clang- 2>/dev/null | sed -n 's/^clang-\([0-9]*\)$/\1/p' | sort -n | tail -n 1)
	[ -z "$v" ] || install_packages "$2" "clang-$v" "lld-$v" "llvm-$v" || true
	[ -n "$(newest_clang "$1")" ]
}
