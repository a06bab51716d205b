# SPDX-License-Identifier: GPL-2.0
# The architectures of guests, and the packages that they need.
# shellcheck shell=bash disable=SC2034,SC2154 # of lab/build, lab/run; of lib.sh

# machine CONFIG: set the variables of its architecture. The fragment for another one than
# x86_64 has a line "# machine: NAME".
#   arch     ARCH of the kernel
#   cross    prefix of the names of its compiler and binutils
#   image    the kernel image, below the build
#   tty      the kernel's name of its serial line
#   qemu     the program, and its options for the machine
#   debian   Debian's name of the architecture, if its programs are foreign packages
machine() {
	local name
	name=$(sed -n 's/^# machine: //p' "$top/lab/configs/$1.config")
	arch=${name:-x86_64} cross='' image=arch/x86/boot/bzImage tty=ttyS0 debian=''
	case $arch in
	x86_64)
		qemu=(qemu-system-x86_64 -M q35 -cpu max) ;;
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
	s390)
		cross=s390x-linux-gnu- debian=s390x image=arch/s390/boot/bzImage
		qemu=(qemu-system-s390x -M s390-ccw-virtio -cpu max) ;;
	*)
		die "lab/configs/$1.config: no machine '$arch'" "lab/machine.sh has the known ones" ;;
	esac
}

# machine_tools: install compiler and emulator of a foreign machine; for root
machine_tools() {
	local packages=()
	[ -n "$debian" ] || return 0
	command -v "${cross}gcc" >/dev/null || packages+=("gcc-${cross%-}")
	"${cross}gcc" -print-file-name=libc.a 2>/dev/null | grep -q / ||
		packages+=("libc6-dev-$debian-cross")
	command -v "${qemu[0]}" >/dev/null ||
		case ${qemu[0]} in
		*-arm | *-aarch64) packages+=(qemu-system-arm) ;;
		*-i386) packages+=(qemu-system-x86) ;;
		*) packages+=(qemu-system-misc) ;;
		esac
	[ ${#packages[@]} = 0 ] || install_packages "$build/machine.log" "${packages[@]}" ||
		die "no ${packages[*]}" "these Debian packages are needed for this configuration; see $build/machine.log"
}

# foreign_root: set $root to a directory with busybox and the tool's libraries for a
# foreign machine. They are Debian packages, unpacked there and not installed.
foreign_root() {
	local apt=$build/foreign/apt-$debian log=$build/foreign/$debian.log p packages lists
	root=$build/foreign/$debian
	[ ! -e "$root/complete" ] || return 0
	need apt-get dpkg-deb
	note "fetching packages for $debian"
	mkdir -p "$apt"/lists/partial "$apt"/cache/archives/partial "$root"
	packages=(busybox-static libc6 libelf-dev zlib1g-dev liblzma-dev libiberty-dev)
	lists=(-o "APT::Architectures::=$debian" -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache")
	# an index may be missing: only the download of the packages counts
	apt-get "${lists[@]}" update >"$log" 2>&1 || true
	if ! (cd "$apt" && apt-get "${lists[@]}" download "${packages[@]/%/:$debian}") >>"$log" 2>&1; then
		tail -n 20 "$log" >&2
		die "no packages for $debian" "is the network there?"
	fi
	for p in "$apt"/*.deb; do
		dpkg-deb -x "$p" "$root" || die "$p cannot be unpacked"
	done
	rm -rf "$apt"
	touch "$root/complete"
}
