import { answer, type Instruction, load, mask, whenAnyBit, whenAtLeast, whenEqual } from './bpf.ts'
import {
  AUDIT_ARCHITECTURE,
  type SeccompArchitecture,
  SHARED_CALLS,
  SYSTEM_CALLS,
} from './system-calls.ts'

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const fail = (errno: number): number => 0x00050000 | errno
const EPERM = fail(1)
const ENOSYS = fail(38)
const EAFNOSUPPORT = fail(97)

/** Offsets in `seccomp_data`; for an argument, its lower half. */
const NUMBER = 0
const ARCHITECTURE = 4
const argument = (index: number): number => 16 + index * 8

/** Calls of the x32 ABI start here; they would bypass the table's numbers. */
const X32_CALLS = 0x40000000

/**
 * All kinds of namespaces; a new user namespace would give capabilities useful for attacking the
 * kernel.
 */
const NEW_NAMESPACES =
  0x10000000 | 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000 | 0x80

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const SOCK_RAW = 3
const SOCK_TYPE_BITS = 0xf
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
const FILE_TYPE_BITS = 0o170000
const CHARACTER_DEVICE = 0o020000
const BLOCK_DEVICE = 0o060000

/** Filtered by their arguments, or answered with another error than "not permitted". */
const SPECIAL = ['ioctl', 'socket', 'clone', 'clone3', 'unshare', 'mknod', 'mknodat']

/**
 * The filter of a sandbox: checks the architecture, then blocks calls that no agent's tool needs
 * and that kernel attacks start with. Everything else is allowed, because the namespaces limit what
 * it reaches.
 */
export const buildFilter = (architecture: SeccompArchitecture): Instruction[] => {
  const calls: Record<string, number> = { ...SYSTEM_CALLS[architecture], ...SHARED_CALLS }
  const on = (name: string, judge: readonly Instruction[]): Instruction[] => {
    const number = calls[name]
    return number === undefined ? [] : [whenEqual(number, 0, judge.length), ...judge]
  }
  const denied = Object.keys(calls).filter((name) => !SPECIAL.includes(name))
  return [
    load(ARCHITECTURE),
    whenEqual(AUDIT_ARCHITECTURE[architecture], 1, 0),
    answer(KILL_PROCESS),
    load(NUMBER),
    ...(architecture === 'x64' ? [whenAtLeast(X32_CALLS, 0, 1), answer(ENOSYS)] : []),
    ...denied.flatMap((name) => on(name, [answer(EPERM)])),
    // Its flags are in memory, which a filter cannot read; without it, libraries fall back to
    // `clone`.
    ...on('clone3', [answer(ENOSYS)]),
    ...on('clone', denyBits(0, NEW_NAMESPACES & ~0x80)),
    ...on('unshare', denyBits(0, NEW_NAMESPACES)),
    ...on('ioctl', JUDGE_TERMINAL),
    ...on('socket', JUDGE_SOCKET),
    ...on('mknod', judgeDevice(1)),
    ...on('mknodat', judgeDevice(2)),
    answer(ALLOW),
  ]
}

const denyBits = (index: number, bits: number): Instruction[] => [
  load(argument(index)),
  whenAnyBit(bits, 0, 1),
  answer(EPERM),
  answer(ALLOW),
]

/** Blocks typing into the terminal that started it. */
const JUDGE_TERMINAL: readonly Instruction[] = [
  load(argument(1)),
  whenEqual(TIOCSTI, 1, 0),
  whenEqual(TIOCLINUX, 0, 1),
  answer(EPERM),
  answer(ALLOW),
]

/** Allows Unix and internet sockets, but no raw ones; of netlink only routes and addresses. */
const JUDGE_SOCKET: readonly Instruction[] = [
  load(argument(0)),
  whenEqual(AF_UNIX, 7, 0),
  whenEqual(AF_INET, 3, 0),
  whenEqual(AF_INET6, 2, 0),
  whenEqual(AF_NETLINK, 6, 0),
  answer(EAFNOSUPPORT),
  load(argument(1)),
  mask(SOCK_TYPE_BITS),
  whenEqual(SOCK_RAW, 1, 0),
  answer(ALLOW),
  answer(EPERM),
  load(argument(2)),
  whenEqual(0, 0, 1),
  answer(ALLOW),
  answer(EPERM),
]

const judgeDevice = (index: number): Instruction[] => [
  load(argument(index)),
  mask(FILE_TYPE_BITS),
  whenEqual(CHARACTER_DEVICE, 1, 0),
  whenEqual(BLOCK_DEVICE, 0, 1),
  answer(EPERM),
  answer(ALLOW),
]
