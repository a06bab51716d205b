#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The tools for disks, files and the network that scripts.sh does not run: each counts a known
# load, and prints lines like those in its help. Those that need types of the kernel say so if
# it has none.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 35

find_scripts
. "$(dirname "$0")/scripts_lib.sh"

for name in tcpdrop tcptop tcpsynbl filetop fileslower ext4slower; do
	if has types; then
		skip "${name}_without_types" "this kernel has types"
	else
		not_loaded "${name}_without_types" \
			'^[^ ]+: error: .*: this kernel has no types \(CONFIG_DEBUG_INFO_BTF\)$' \
			-q "$scripts/$name.kp"
	fi
done

# Disks and files
if [ -b $disk ]; then
	mkdir "$tmp/disk" && mke2fs -q $disk >/dev/null && mount -t ext4 $disk "$tmp/disk" &&
		dd if=/dev/zero of="$tmp/disk/file" bs="$page" count=64 2>/dev/null && sync
	for name in biotop biostacks ext4dist cachestat; do
		begin $name
	done
	begin biostacks --comm=workload
	! has types || begin ext4slower --min=0
	all_run
	"$workload" direct $disk 4096 5
	"$workload" major "$tmp/disk/file" 20
	sync "$tmp/disk/file"
	dd if="$tmp/disk/file" of=/dev/null bs=4096 count=3 2>/dev/null
	sleep 0.2
	done_all
	by=workload
	[ "$(uname -m)" != s390x ] || by='kworker[^ ]*'
	of biotop
	between biotop "$(column "^[0-9]+ +$by +[0-9]+:[0-9]+ +R" 5)" 5 30
	between biotop_counts_bytes "$(column "^[0-9]+ +$by +[0-9]+:[0-9]+ +R" 6)" 20 $((300 * page / 4096))
	of biostacks
	between biostacks "$(sum)" 5 1000
	matches "$tmp/out" '^ +vfs_read\+' '^ +blk_mq_submit_bio\+'
	result $? biostacks_shows_who_asked
	of ext4dist
	is ext4dist_opens "$code $(sum 'ext4 open')" '0 3'
	is ext4dist_syncs "$code $(sum 'ext4 fsync')" '0 2'
	of cachestat
	between cachestat "$(column '^ +[0-9]' 2)" 15 300
	if has types; then
		of ext4slower
		counted ext4slower "^[0-9]+ +sync +fsync +0 +[0-9]+ $tmp/disk/file$" 1
		counted ext4slower_of_reads "^[0-9]+ +dd +read +4096 +[0-9]+ $tmp/disk/file$" 3
		tool ext4slower --min=60000000 -- sync "$tmp/disk/file"
		counted ext4slower_of_what_takes_longer ' fsync ' 0
	else
		skip ext4slower "this kernel has no types"
		skip ext4slower_of_reads "this kernel has no types"
		skip ext4slower_of_what_takes_longer "this kernel has no types"
	fi
	umount "$tmp/disk"
	begin biostacks --comm=front_merge
	all_run
	"$here/front_merge" $disk 5 >"$tmp/failed"
	sleep 0.2
	done_all
	of biostacks
	is biostacks_follows_a_request_that_grows_at_its_beginning "$(cat "$tmp/failed") $(sum)" '0 5'
else
	for name in biotop biotop_counts_bytes biostacks biostacks_shows_who_asked ext4dist_opens \
		ext4dist_syncs cachestat ext4slower ext4slower_of_reads ext4slower_of_what_takes_longer \
		biostacks_follows_a_request_that_grows_at_its_beginning; do
		skip $name "there is no $disk"
	done
fi
tool ext4dist --fs=nosuchfs
[ "$code" = 2 ] && matches "$tmp/err" "error: no function 'nosuchfs_[a-z_]+'"
result $? ext4dist_of_a_missing_file_system

if has types; then
	dd if=/dev/zero of="$tmp/from" bs=4096 count=30 2>/dev/null
	tool filetop -- dd if="$tmp/from" of="$tmp/to" bs=4096 count=20
	counted filetop_of_reads "^[0-9]+ +dd +20 +0 +80 +0 $tmp/from$" 1
	counted filetop_of_writes "^[0-9]+ +dd +0 +20 +0 +80 $tmp/to$" 1
	tool filetop --all -- "$workload" read 512 20
	counted filetop_of_devices '^[0-9]+ +workload +20 +0 +10 +0 /dev/zero$' 1
	tool fileslower --min=0 --comm=dd -- dd if="$tmp/from" of="$tmp/to" bs=4096 count=20
	counted fileslower_of_reads "^[0-9]+ +dd +vfs_read +4096 +[0-9]+ $tmp/from$" 20
	counted fileslower_of_writes "^[0-9]+ +dd +vfs_write +4096 +[0-9]+ $tmp/to$" 20
	tool fileslower --min=60000000 -- dd if="$tmp/from" of="$tmp/to" bs=4096 count=20
	is fileslower_of_what_takes_longer "$code $(lines .)" '0 1'
else
	for name in filetop_of_reads filetop_of_writes filetop_of_devices fileslower_of_reads \
		fileslower_of_writes fileslower_of_what_takes_longer; do
		skip $name "this kernel has no types"
	done
fi

# The network
lo=127\\.0\\.0\\.1
if has types; then
	for name in tcpdrop tcptop tcpsynbl; do
		begin $name
	done
	all_run
	port=$("$workload" connect 40960 3)
	nc 127.0.0.1 9 </dev/null 2>/dev/null
	nc ::1 9 </dev/null 2>/dev/null
	# it ends when the client does
	mkfifo "$tmp/open"
	nc -l -p 7777 <>"$tmp/open" >/dev/null 2>&1 &
	server=$!
	tries=50
	until grep -q ':1E61 .* 0A ' /proc/net/tcp6 2>/dev/null || [ $((tries -= 1)) = 0 ]; do
		sleep 0.1
	done
	head -c 40960 /dev/zero | nc ::1 7777 >/dev/null 2>&1
	kill $server 2>/dev/null
	sleep 0.2
	done_all
	of tcptop
	counted tcptop_of_senders "^[0-9]+ +workload +$lo:[0-9]+ +$lo:$port +40 +0$" 3
	counted tcptop_of_receivers "^[0-9]+ +workload +$lo:$port +$lo:[0-9]+ +0 +40$" 3
	of tcpsynbl
	is tcpsynbl "$code $(sum "port $port, backlog 1")" '0 3'
	of tcpdrop
	counted tcpdrop "^[0-9]+ +[^ ]+ +$lo:[0-9]+ +$lo:9 +NO_SOCKET$" 1
	if grep -q '^0*1' /proc/net/if_inet6 2>/dev/null; then
		counted tcpdrop_of_ipv6 "^[0-9]+ +[^ ]+ +\[::1\]:[0-9]+ +\[::1\]:9 +NO_SOCKET$" 1
		of tcptop
		client='\[::1\]:[0-9]+' server='\[::1\]:7777'
		counted tcptop_of_ipv6 \
			"^[0-9]+ +nc +($client +$server +40 +0|$server +$client +0 +40)$" 2
	else
		skip tcpdrop_of_ipv6 "this kernel has no IPv6"
		skip tcptop_of_ipv6 "this kernel has no IPv6"
	fi
	tool tcptop --port=9 -- "$workload" connect 40960 3
	counted tcptop_of_another_port workload 0
else
	for name in tcptop_of_senders tcptop_of_receivers tcpsynbl tcpdrop tcpdrop_of_ipv6 \
		tcptop_of_ipv6 tcptop_of_another_port; do
		skip $name "this kernel has no types"
	done
fi

# the other end of these two devices has no address: what is sent there is lost
if ip link add name ktap0 type veth &&
	other=$(ip link | sed -n 's/^[0-9]*: \(veth[0-9]*\)@ktap0:.*/\1/p') &&
	ip addr add 10.9.0.1/24 dev ktap0 && ip link set ktap0 up && ip link set "$other" up &&
	arp -i ktap0 -s 10.9.0.2 02:00:00:00:00:01
then
	begin tcpretrans
	all_run
	nc -w 3 10.9.0.2 77 </dev/null 2>/dev/null
	done_all
	of tcpretrans
	between tcpretrans "$(lines '^10\.9\.0\.1:[0-9]+ +10\.9\.0\.2:77 +SYN_SENT$')" 1 5
	begin tcpretrans --count
	all_run
	nc -w 3 10.9.0.2 77 </dev/null 2>/dev/null
	done_all
	of tcpretrans
	between tcpretrans_counts "$(column '^10\.9\.0\.1:[0-9]+ +10\.9\.0\.2:77 +SYN_SENT' 4)" 1 5
	# without a route nothing is sent again, only attempted
	nc -w 4 10.9.0.2 77 </dev/null 2>/dev/null &
	client=$!
	tries=50
	until grep -q ':004D 02 ' /proc/net/tcp || [ $((tries -= 1)) = 0 ]; do
		sleep 0.1
	done
	ip link set ktap0 down
	begin tcpretrans
	all_run
	wait $client
	done_all
	of tcpretrans
	counted tcpretrans_of_what_is_not_sent '^10\.9\.0\.1:' 0
else
	skip tcpretrans "there are no pairs of network devices"
	skip tcpretrans_of_what_is_not_sent "there are no pairs of network devices"
	skip tcpretrans_counts "there are no pairs of network devices"
fi 2>/dev/null
ip link del ktap0 2>/dev/null

like_their_help

finish
