import { SHARED_CALLS, SYSTEM_CALLS } from '../sandbox/seccomp/system-calls.ts'
import type { EscapeWorld } from './escape-world.ts'

/** A script that prints ESCAPED if it gets out, and otherwise why not. */
export interface EscapeAttempt {
  name: string
  script: string
  /** The expected reason of the failure. */
  because: RegExp
}

const NOT_THERE = /No such file or directory/
const NOT_PERMITTED = /errno 1\b|Operation not permitted|Permission denied/
const READ_ONLY = /Read-only file system/
const NO_SUCH_CALL = /errno 38\b/
const NO_SUCH_FAMILY = /errno 97\b/

/**
 * Defined in the shell before the attempts: makes one system call by number and prints the result.
 */
export const PRELUDE = [
  `sys() { perl -e '($n, @a) = map { /^-?\\d+$/ ? $_ + 0 : $_ eq "NUL" ? 0 : $_ } @ARGV; $r = syscall($n, @a); print $r == -1 ? "errno " . ($! + 0) . "\\n" : "ESCAPED $r\\n"' -- "$@"; }`,
  'try() { "$@" && echo ESCAPED; }',
  `say() { perl -MSocket -e '$s = shift; socket(S, $s eq "u" ? AF_UNIX : AF_INET, SOCK_STREAM, 0); $to = $s eq "u" ? sockaddr_un(shift) : do { ($h, $p) = (shift, shift); sockaddr_in($p, inet_aton($h)) }; if (connect(S, $to)) { $_ = <S>; print "ESCAPED $_\\n" } else { print "$!\\n" }' -- "$@"; }`,
].join('\n')

export const listAttempts = (world: EscapeWorld): EscapeAttempt[] => {
  const attempt = (name: string, script: string, because: RegExp): EscapeAttempt => ({
    name,
    script,
    because,
  })
  const call = (name: string, args: string, because = NOT_PERMITTED): EscapeAttempt =>
    attempt(`system call ${name} ${args}`, `sys ${numberOf(name)} ${args}`, because)
  const { secretFile, otherFile, home, hostFolder, victimPid, serverPid, loopbackPort } = world

  return [
    attempt('read a file of the host', `try cat ${secretFile}`, NOT_THERE),
    attempt('read it by a link', `ln -sf ${secretFile} l1; try cat l1`, NOT_THERE),
    attempt('read it by a hard link', `try ln ${secretFile} h1`, NOT_THERE),
    attempt('hard link into the system', 'try ln /usr/bin/id h2', /cross-device/),
    attempt('climb out by dots', `try cat /workspace/../../../../..${secretFile}`, NOT_THERE),
    attempt('the root of process 1', `try cat /proc/1/root${secretFile}`, NOT_THERE),
    attempt('the root of the parent', `try cat /proc/$PPID/root${secretFile}`, NOT_THERE),
    attempt(
      'the root of any process',
      `for p in /proc/[0-9]*; do try cat $p/root${secretFile}; done`,
      NOT_THERE,
    ),
    attempt(
      'the folder of any process',
      `for p in /proc/[0-9]*; do try cat $p/cwd/../..${secretFile}; done`,
      NOT_THERE,
    ),
    attempt(
      'open files of other processes',
      `for f in /proc/[0-9]*/fd/*; do [ -d "$f/." ] && [ "$(realpath "$f" 2>/dev/null | cut -d/ -f2)" != workspace ] && [ "$(realpath "$f" | cut -d/ -f2)" != proc ] && echo ESCAPED "$f"; done; echo none`,
      /^none$/,
    ),
    attempt('passwords of the host', 'try cat /etc/shadow', NOT_THERE),
    attempt('users of the host', `grep -c . /etc/passwd`, /^3$/),
    attempt('the home of the server', `try ls ${home}`, NOT_THERE),
    attempt(
      'homes of people',
      'try ls /root; ls /home | grep -v "^agent$" && echo ESCAPED; true',
      NOT_THERE,
    ),
    attempt('temporary files of the host', `try ls ${hostFolder}`, NOT_THERE),
    attempt('the workspace of another session', `try cat ${otherFile}`, NOT_THERE),
    attempt(
      'a sibling of the workspace',
      'try cat /workspace/../sesn_other/workspace/theirs.txt',
      NOT_THERE,
    ),
    attempt(
      'paths that mounts tell',
      `for d in $(cut -d" " -f4 /proc/self/mountinfo | grep /hosted/); do try cat "$d/../../sesn_other/workspace/theirs.txt"; done; true`,
      NOT_THERE,
    ),
    attempt('leftovers of the setup', 'try ls /oldroot; try ls /newroot', NOT_THERE),
    attempt('the kernel by /sys', 'try ls /sys/kernel', NOT_THERE),
    attempt('root folder by chroot', `sys ${numberOf('chroot')} /proc/1/root`, NOT_PERMITTED),
    call('open_by_handle_at', '3 x 0'),
    call('name_to_handle_at', '-100 /usr x x 0'),

    attempt(
      'magic keys',
      '{ echo h > /proc/sysrq-trigger; } && echo ESCAPED',
      /Permission denied|Read-only|No such file/,
    ),
    attempt(
      'the core dump handler',
      'v=$(cat /proc/sys/kernel/core_pattern); { echo "$v" > /proc/sys/kernel/core_pattern; } && echo ESCAPED',
      /Permission denied|Read-only/,
    ),
    attempt(
      'settings of the kernel',
      '{ echo 1 > /proc/sys/vm/drop_caches; } && echo ESCAPED',
      /Permission denied|Read-only/,
    ),
    attempt(
      'memory of the kernel',
      'try head -c 1 /proc/kcore',
      /Operation not permitted|Permission denied|No such file/,
    ),
    attempt('messages of the kernel', 'try dmesg', /not permitted|denied/),
    attempt(
      'memory of the first process',
      'try dd if=/proc/1/mem bs=1 count=1 status=none',
      /Permission denied|Input\/output error/,
    ),
    attempt('environment of the server', `try cat /proc/${serverPid}/environ`, NOT_THERE),
    attempt(
      'environment of every process',
      `cat /proc/[0-9]*/environ 2>/dev/null | grep -aq ${world.canary} && echo ESCAPED; echo none`,
      /^none$/,
    ),
    attempt(
      'own environment',
      `env | grep -q ${world.canary} && echo ESCAPED; echo none`,
      /^none$/,
    ),
    attempt(
      'processes of the host',
      '[ $(ls -d /proc/[0-9]* | wc -l) -gt 20 ] && echo ESCAPED; echo few',
      /^few$/,
    ),
    attempt(
      'out of the reach of the memory limit',
      '{ echo -1000 > /proc/self/oom_score_adj; } && echo ESCAPED',
      /Permission denied/,
    ),
    attempt(
      'another map of users',
      '{ echo "0 0 1" > /proc/self/uid_map; } && echo ESCAPED',
      NOT_PERMITTED,
    ),
    attempt(
      'leave the control group',
      'try ls /sys/fs/cgroup; { echo $$ > /sys/fs/cgroup/memory/cgroup.procs; } && echo ESCAPED',
      NOT_THERE,
    ),
    attempt(
      'name of the host',
      '[ "$(uname -n)" = sandbox ] && echo apart || echo ESCAPED',
      /^apart$/,
    ),

    attempt('make the device of memory', 'try mknod mem c 1 1', NOT_PERMITTED),
    attempt('make the device of a disk', 'try mknod disk b 254 0', NOT_PERMITTED),
    attempt('memory of the machine', 'try head -c 1 /dev/mem', NOT_THERE),
    attempt(
      'disks',
      'for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/loop0; do try head -c 1 $d; done',
      NOT_THERE,
    ),
    attempt(
      'virtual machines and file systems',
      'try ls /dev/kvm; try ls /dev/fuse; try ls /dev/loop-control; try ls /dev/kmsg',
      NOT_THERE,
    ),

    call('mount', 'none /tmp tmpfs 0 NUL'),
    attempt(
      'see all processes by a new /proc',
      `mkdir -p p; sys ${numberOf('mount')} proc p proc 0 NUL`,
      NOT_PERMITTED,
    ),
    attempt(
      'make the system writable',
      `sys ${numberOf('mount')} none /usr none 4128 NUL`,
      NOT_PERMITTED,
    ),
    call('umount2', '/usr 2'),
    call('umount2', '/proc/sys 2'),
    call('pivot_root', '/workspace /workspace'),
    call('fsopen', 'tmpfs 0'),
    call('open_tree', '-100 / 1'),
    call('mount_setattr', '-100 / 0 x 8'),
    call('move_mount', '-100 / -100 /tmp 0'),

    attempt('a user namespace', 'try unshare -U true', NOT_PERMITTED),
    attempt('a mount namespace', 'try unshare -m true', NOT_PERMITTED),
    call('clone', '268435473 0 0 0 0'),
    call(
      'clone3',
      'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 64',
      NO_SUCH_CALL,
    ),
    attempt(
      'the namespaces of process 1',
      `exec 9</proc/1/ns/mnt; sys ${numberOf('setns')} 9 0; exec 9<&-`,
      NOT_PERMITTED,
    ),

    attempt(
      'a planted program with rights of root',
      '[ "$(./rooted -u)" = 1000 ] && echo still me || echo ESCAPED',
      /^still me$/,
    ),
    attempt(
      'become another user',
      `perl -e '$> = 0; print $> == 0 ? "ESCAPED" : "errno " . ($! + 0)'`,
      /errno (1|22)\b/,
    ),
    attempt(
      'programs that give rights',
      'for p in su sudo pkexec mount newgrp; do command -v $p >/dev/null && [ -u "$(command -v $p)" ] && timeout 5 $p true </dev/null >/dev/null 2>&1 && echo ESCAPED $p; done; grep -q "^NoNewPrivs:.1$" /proc/self/status && echo none',
      /^none$/,
    ),
    attempt(
      'capabilities',
      'grep -E "^Cap(Eff|Prm|Bnd|Amb)" /proc/self/status | grep -v 0000000000000000 && echo ESCAPED; echo none',
      /^none$/,
    ),
    attempt(
      'without a filter',
      'grep -q "^Seccomp:.2$" /proc/self/status && echo filtered || echo ESCAPED',
      /^filtered$/,
    ),

    call('ptrace', '16 1 0 0'),
    attempt('trace the shell', `sys ${numberOf('ptrace')} 16 $$ 0 0`, NOT_PERMITTED),
    call('process_vm_readv', '1 x 0 x 0 0'),
    call('process_vm_writev', '1 x 0 x 0 0'),
    call('pidfd_getfd', '3 0 0'),
    call('bpf', '0 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 32'),
    call('perf_event_open', 'xxxxxxxx 0 -1 -1 0'),
    call('keyctl', '0 -3 0 0 0'),
    call('add_key', 'user name data 4 -3'),
    call('request_key', 'user name NUL 0'),
    call('init_module', 'x 1 x'),
    call('finit_module', '0 x 0'),
    call('delete_module', 'nothing 0'),
    call('kexec_load', '0 0 NUL 0'),
    call('userfaultfd', '1'),
    call('io_uring_setup', `1 ${'x'.repeat(120)}`),
    call('reboot', '1 2 3 NUL'),
    call('swapon', 'nothing 0'),
    call('acct', 'nothing'),
    call('sethostname', 'sandbox 7'),
    call('quotactl', '0 NUL 0 NUL'),
    call('syslog', '3 xxxxxxxxxxxxxxxx 16'),

    attempt(
      'a listener on the loopback of the host',
      `say i 127.0.0.1 ${loopbackPort}`,
      /Connection refused/,
    ),
    attempt(
      'the same by the address of the host',
      `say i ${world.hostAddress} ${loopbackPort}`,
      /unreachable|refused/,
    ),
    attempt('metadata of the cloud', 'say i 169.254.169.254 80', /unreachable/),
    attempt('an address of the internet', 'say i 1.1.1.1 443', /unreachable/),
    attempt(
      'names of the internet',
      'getent hosts example.com && echo ESCAPED; echo unknown',
      /^unknown$/,
    ),
    attempt(
      'a name server',
      `perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0); print connect(S, sockaddr_in(53, inet_aton("8.8.8.8"))) ? "ESCAPED" : $!'`,
      /unreachable/,
    ),
    attempt(
      'interfaces',
      '[ "$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " \\n")" = lo ] && echo alone || echo ESCAPED',
      /^alone$/,
    ),
    attempt('a raw socket', `sys ${numberOf('socket')} 2 3 1`, NOT_PERMITTED),
    attempt('a packet socket', `sys ${numberOf('socket')} 17 3 0`, NO_SUCH_FAMILY),
    attempt('a socket to the hypervisor', `sys ${numberOf('socket')} 40 1 0`, NO_SUCH_FAMILY),
    attempt('a socket of kernel ciphers', `sys ${numberOf('socket')} 38 5 0`, NO_SUCH_FAMILY),
    attempt('events of devices', `sys ${numberOf('socket')} 16 3 15`, NOT_PERMITTED),
    attempt(
      'an abstract socket of the host',
      `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); if (connect(S, pack("Sa*", AF_UNIX, "\\0${world.abstractName}"))) { print "ESCAPED ", <S> } else { print $! }'`,
      /Connection refused/,
    ),
    attempt('a socket file of the host', `say u ${world.socketPath}`, NOT_THERE),
    attempt('the socket of Docker', 'say u /var/run/docker.sock', NOT_THERE),

    attempt('write to programs', 'try touch /usr/bin/steward-escape', READ_ONLY),
    attempt('write to settings', 'try touch /etc/ld.so.preload', READ_ONLY),
    attempt(
      'write to the list of users',
      '{ echo x >> /etc/passwd; } && echo ESCAPED',
      /Read-only|Permission denied/,
    ),
    attempt('write to the root', 'try touch /steward-escape; try mkdir /steward-escape', READ_ONLY),
    attempt('write to devices', 'try touch /dev/steward-escape', READ_ONLY),

    attempt('signal a process of the host', `try kill -9 ${victimPid}`, /No such process/),
    attempt('signal the server', `try kill -0 ${serverPid}`, /No such process/),
    attempt(
      'type into the terminal',
      `perl -e '$c = "x"; print ioctl(STDOUT, 0x5412, $c) ? "ESCAPED" : "errno " . ($! + 0)'`,
      /errno 1\b/,
    ),
    attempt('the terminal of the server', 'try head -c 0 /dev/tty', /No such device/),
    attempt('more files than allowed', 'try ulimit -n 1000000', NOT_PERMITTED),
    attempt('larger files than allowed', 'try ulimit -f unlimited', NOT_PERMITTED),
    attempt('more processes than allowed', 'try ulimit -u unlimited', NOT_PERMITTED),
  ]
}

const calls: Record<string, number> = {
  ...SYSTEM_CALLS[process.arch === 'x64' ? 'x64' : 'arm64'],
  ...SHARED_CALLS,
}

const numberOf = (name: string): number => {
  const number = calls[name]
  if (number === undefined) throw new Error(`there is no number for ${name} on ${process.arch}`)
  return number
}
