import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encode } from './bpf.ts'
import { buildFilter } from './build-filter.ts'
import { AUDIT_ARCHITECTURE, SHARED_CALLS, SYSTEM_CALLS } from './system-calls.ts'

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const EPERM = 0x00050001
const ENOSYS = 0x00050026
const EAFNOSUPPORT = 0x00050061

/** Runs a filter's bytes as the kernel would. */
const judge = (
  architecture: 'x64' | 'arm64',
  number: number,
  args: readonly number[] = [],
  audit = AUDIT_ARCHITECTURE[architecture],
): number => {
  const program = new DataView(encode(buildFilter(architecture)).buffer)
  const data = new DataView(new ArrayBuffer(64))
  data.setUint32(0, number, true)
  data.setUint32(4, audit, true)
  args.forEach((value, index) => {
    data.setBigUint64(16 + index * 8, BigInt.asUintN(64, BigInt(value)), true)
  })
  let accumulator = 0
  for (let at = 0; at * 8 < program.byteLength; at += 1) {
    const code = program.getUint16(at * 8, true)
    const ifTrue = program.getUint8(at * 8 + 2)
    const ifFalse = program.getUint8(at * 8 + 3)
    const value = program.getUint32(at * 8 + 4, true)
    const jump = (holds: boolean) => {
      at += holds ? ifTrue : ifFalse
    }
    if (code === 0x06) return value
    if (code === 0x20) accumulator = data.getUint32(value, true)
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0
    else if (code === 0x15) jump(accumulator === value)
    else if (code === 0x35) jump(accumulator >= value)
    else if (code === 0x45) jump((accumulator & value) !== 0)
    else throw new Error(`unknown instruction ${code}`)
  }
  throw new Error('the filter ran off its end')
}

describe.each(['x64', 'arm64'] as const)('the filter for %s', (architecture) => {
  const calls: Record<string, number> = { ...SYSTEM_CALLS[architecture], ...SHARED_CALLS }
  const call = (name: string, ...args: number[]) => judge(architecture, calls[name] ?? -1, args)

  it('kills calls of another architecture', () => {
    expect(judge(architecture, 0, [], 0x40000003)).toBe(KILL)
  })

  it('blocks calls that kernel attacks start with', () => {
    const names =
      'mount umount2 pivot_root ptrace process_vm_readv process_vm_writev kexec_load init_module bpf perf_event_open keyctl add_key request_key userfaultfd setns open_by_handle_at swapon reboot chroot io_uring_setup fsopen open_tree pidfd_getfd'
    for (const name of names.split(' ')) expect([name, call(name)]).toEqual([name, EPERM])
  })

  it('reports clone3 as unsupported', () => {
    expect(call('clone3')).toBe(ENOSYS)
  })

  it('allows processes and threads, but no namespaces', () => {
    expect(call('clone', 17)).toBe(ALLOW)
    expect(call('clone', 0x3d0f00)).toBe(ALLOW)
    for (const flag of [0x10000000, 0x20000, 0x40000000, 0x20000000, 0x2000000]) {
      expect(call('clone', flag | 17)).toBe(EPERM)
      expect(call('unshare', flag)).toBe(EPERM)
    }
    expect(call('unshare', 0x400)).toBe(ALLOW)
  })

  it('allows ordinary sockets, but no others', () => {
    for (const family of [1, 2, 10]) expect(call('socket', family, 0x80801, 0)).toBe(ALLOW)
    expect(call('socket', 2, 0x80003, 1)).toBe(EPERM)
    expect(call('socket', 16, 3, 0)).toBe(ALLOW)
    expect(call('socket', 16, 3, 9)).toBe(EPERM)
    for (const family of [17, 40, 38, 15, 30, 44]) {
      expect(call('socket', family, 1, 0)).toBe(EAFNOSUPPORT)
    }
  })

  it('allows files and pipes, but no devices', () => {
    expect(call('mknodat', -100, 0, 0o010644, 0)).toBe(ALLOW)
    expect(call('mknodat', -100, 0, 0o100644, 0)).toBe(ALLOW)
    expect(call('mknodat', -100, 0, 0o020644, 0)).toBe(EPERM)
    expect(call('mknodat', -100, 0, 0o060644, 0)).toBe(EPERM)
  })

  it('blocks typing into a terminal', () => {
    expect(call('ioctl', 0, 0x5412)).toBe(EPERM)
    expect(call('ioctl', 0, 0x541c)).toBe(EPERM)
    expect(call('ioctl', 0, 0x5401)).toBe(ALLOW)
  })

  it('allows everything that it does not list, and always returns a verdict', () => {
    const named = new Set(Object.values(calls))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x3fffffff }), (number) => {
        expect(judge(architecture, number) === ALLOW || named.has(number)).toBe(true)
      }),
    )
  })
})

it('covers the calls of the x32 ABI', () => {
  expect(judge('x64', 0x40000000 + 165)).toBe(ENOSYS)
})
