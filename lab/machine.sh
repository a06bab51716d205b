# SPDX-License-Identifier: GPL-2.0
# The architectures of guests, and the packages that they need.
# shellcheck shell=bash disable=SC2034,SC2154 # of lab/build, lab/run; of lib.sh
# shellcheck source-path=SCRIPTDIR source=apt.sh
. "$(dirname "${BASH_SOURCE[0]}")/apt.sh"
# shellcheck source-path=SCRIPTDIR source=clang.sh
. "$(dirname "${BASH_SOURCE[0]}")/clang.sh"

# with CONFIG: the other fragments that it needs, from its line "# with: NAME..."
with() {
	sed -n 's/^# with: //p' "$top/lab/configs/$1.config"
}

# machine CONFIG: set the variables of its architecture. The fragment for another one than
# x86_64 has a line "# machine: NAME"; one that clang compiles has "# compiler: clang".
#   arch     ARCH of the kernel
#   cross    prefix of the names of its compiler and binutils
#   image    the kernel image, below the build
#   tty      the kernel's name of its serial line
#   qemu     the program, and its options for the machine
#   debian   Debian's name of the architecture, if its programs are foreign packages
#   suite    the suite of Debian that has these; "own": that of this machine; "none": they are
#            compiled
#   clang    not empty: clang compiles the kernel
machine() {
	local name
	name=$(sed -n 's/^# machine: //p' "$top/lab/configs/$1.config")
	arch=${name:-x86_64} cross='' image=arch/x86/boot/bzImage tty=ttyS0 debian='' suite=own
	clang=$(sed -n 's/^# compiler: clang$/1/p' "$top/lab/configs/$1.config")
	case $arch in
	x86_64)
		# With KASAN no five-level page tables: identify_cpu() clears the CPU's features for
		# a moment, and KASAN in an interrupt then takes them for four-level ones, and an
		# address of a kernel object for a wild one.
		local features=''
		! grep -qx CONFIG_KASAN=y "$top/lab/configs/$1.config" || features=,la57=off
		qemu=(qemu-system-x86_64 -M q35 -cpu "max$features") ;;
	i386)
		cross=i686-linux-gnu- debian=i386
		# not AMD: the kernel would take it for an Athlon without SMP
		qemu=(qemu-system-i386 -M q35 -cpu max,vendor=GenuineIntel) ;;
	arm)
		cross=arm-linux-gnueabihf- debian=armhf image=arch/arm/boot/zImage tty=ttyAMA0
		qemu=(qemu-system-arm -M virt -cpu max) ;;
	arm64)
		cross=aarch64-linux-gnu- debian=arm64 image=arch/arm64/boot/Image tty=ttyAMA0
		# pointer authentication by the algorithm of the architecture takes most of the time
		qemu=(qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on) ;;
	powerpc)
		cross=powerpc64le-linux-gnu- debian=ppc64el image=vmlinux tty=hvc0
		qemu=(qemu-system-ppc64 -M pseries -cpu power9) ;;
	ppc64)
		arch=powerpc cross=powerpc64-linux-gnu- debian=ppc64 suite=none image=vmlinux tty=hvc0
		qemu=(qemu-system-ppc64 -M pseries -cpu power9) ;;
	riscv)
		cross=riscv64-linux-gnu- debian=riscv64 suite=trixie image=arch/riscv/boot/Image
		qemu=(qemu-system-riscv64 -M virt -cpu rv64) ;;
	s390)
		cross=s390x-linux-gnu- debian=s390x image=arch/s390/boot/bzImage
		# Without vector instructions: QEMU 7.2 computes VECTOR CHECKSUM wrong, with which
		# the kernel finds most packets damaged.
		qemu=(qemu-system-s390x -M s390-ccw-virtio -cpu max,vx=off) ;;
	*)
		die "lab/configs/$1.config: no machine '$arch'" "lab/machine.sh has the known ones" ;;
	esac
}

# machine_tools TREE: install clang, compiler and emulator of a foreign machine; for root
machine_tools() {
	local packages=()
	[ -z "$clang" ] || have_clang "$1" "$build/machine.log" ||
		die "no clang, lld and llvm from $("$1/scripts/min-tool-version.sh" llvm) on" \
			"the kernel of this configuration is compiled by clang; see $build/machine.log"
	[ -n "$debian" ] || return 0
	command -v "${cross}gcc" >/dev/null || packages+=("gcc-${cross%-}")
	"${cross}gcc" -print-file-name=libc.a 2>/dev/null | grep -q / ||
		packages+=("libc6-dev-$debian-cross")
	command -v "${qemu[0]}" >/dev/null ||
		case ${qemu[0]} in
		*-arm | *-aarch64) packages+=(qemu-system-arm) ;;
		*-ppc64) packages+=(qemu-system-ppc) ;;
		*-i386) packages+=(qemu-system-x86) ;;
		*) packages+=(qemu-system-misc) ;;
		esac
	[ ${#packages[@]} = 0 ] || install_packages "$build/machine.log" "${packages[@]}" ||
		die "no ${packages[*]}" "these Debian packages are needed for this configuration; see $build/machine.log"
}

# foreign_root: set $root to a directory with busybox, the C library and the tool's libraries
# for a foreign machine. They are Debian packages, unpacked there and not installed, or
# compiled from Debian's sources.
foreign_root() {
	local tmp=$build/foreign/apt-$debian log=$build/foreign/$debian.log p
	local packages=(busybox-static libc6 zlib1g-dev liblzma-dev libiberty-dev)
	root=$build/foreign/$debian
	case $suite in
	# no types and lines of programs with those of another suite: only libelf is compiled
	own) packages+=(libelf-dev libdw-dev libbz2-dev) ;;
	none) packages=(busybox zlib elfutils) ;;
	esac
	[ "$(cat "$root/complete" 2>/dev/null)" != "${packages[*]}" ] || return 0
	rm -rf "$root"
	mkdir -p "$tmp" "$root"
	: >"$log"
	if [ "$suite" = none ]; then
		compile_root
	else
		unpack_packages
		[ "$suite" = own ] || from_source elfutils compile_libelf
	fi
	rm -rf "$tmp"
	echo "${packages[*]}" >"$root/complete"
}

# unpack_packages: fill $root
unpack_packages() {
	local apt_opts p
	need apt-get dpkg-deb
	note "fetching packages for $debian"
	mkdir -p "$tmp/debs"
	if [ "$suite" = own ]; then
		private_apt own
		# an index may be missing: only the download of the packages counts
		apt-get "${apt_opts[@]}" update >>"$log" 2>&1 || true
	else
		enter_suite "$suite" || true
	fi
	if ! (cd "$tmp/debs" && apt-get "${apt_opts[@]}" download "${packages[@]/%/:$debian}") >>"$log" 2>&1; then
		tail -n 20 "$log" >&2
		die "no packages for $debian" "is the network there?"
	fi
	for p in "$tmp"/debs/*.deb; do
		dpkg-deb -x "$p" "$root" || die "$p cannot be unpacked"
	done
	# a newer Debian has all of it below usr
	for p in bin lib; do
		[ -e "$root/$p" ] || ln -s "usr/$p" "$root/$p"
	done
}

# compile_root: fill $root for a machine that has no packages but a cross compiler. Its C library
# is there for dynamic programs.
compile_root() {
	local libc
	mkdir -p "$root"/{bin,lib} "$root/usr/include" "$root/usr/lib/${cross%-}"
	libc=$(dirname "$("${cross}gcc" -print-file-name=libc.so.6)")
	cp "$libc"/libc.so.6 "$libc"/ld*.so.* "$root/lib/"
	ln -s lib "$root/lib64"
	from_source busybox compile_busybox
	from_source zlib compile_zlib
	from_source elfutils compile_libelf
}

# from_source PACKAGE COMMAND: unpack Debian's source of it, and run the command there
from_source() {
	need bzip2
	note "compiling $1 for $debian"
	if ! (rm -rf "$tmp/source" && enter_sources && mkdir "$tmp/source" && cd "$tmp/source" &&
	      apt-get "${apt_opts[@]}" source --download-only "$1" && tar -xf ./*.orig.tar.*[2z] &&
	      cd ./*/ && "$2") </dev/null >>"$log" 2>&1; then
		tail -n 20 "$log" >&2
		die "no $1 for $debian" "all of the output: $log"
	fi
}

# compile_libelf: that of another suite cannot be linked with the C library of the cross
# compiler, which is of this machine's suite
compile_libelf() {
	CPPFLAGS="-I$root/usr/include" LDFLAGS="-L$(echo "$root"/usr/lib/*-linux-*/)" \
		./configure --host="${cross%-}" --disable-debuginfod --disable-libdebuginfod \
		--without-bzlib --without-lzma --without-zstd --disable-nls &&
	make -C lib && make -C libelf libelf.a &&
	cp libelf/libelf.h libelf/gelf.h "$root/usr/include/" &&
	cp libelf/libelf.a "$root"/usr/lib/*-linux-*/
}

compile_zlib() {
	CHOST=${cross%-} ./configure --static --prefix=/usr --libdir="/usr/lib/${cross%-}" &&
	make -j"$(nproc)" libz.a && cp zlib.h zconf.h "$root/usr/include/" &&
	cp libz.a "$root/usr/lib/${cross%-}/"
}

# compile_busybox: with all commands
compile_busybox() {
	make defconfig && sed -i 's/^# CONFIG_STATIC is.*/CONFIG_STATIC=y/; s/^CONFIG_TC=.*/CONFIG_TC=n/' .config &&
	{ yes '' || true; } | make oldconfig && make -j"$(nproc)" CROSS_COMPILE="$cross" &&
	cp busybox "$root/bin/"
}
