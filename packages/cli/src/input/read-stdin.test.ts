import { LIMITS } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryIo, stdinOf } from '../testing/memory-io.ts'
import { firstByteLimitMs, readStdin } from './read-stdin.ts'

describe('readStdin', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('reads a pipe to its end', async () => {
    const io = memoryIo({ stdin: stdinOf('{"a":1}'), stdinKind: () => 'pipe' })
    expect(await readStdin(io, 'only')).toBe('{"a":1}')
  })

  it('treats an empty pipe as no input', async () => {
    const io = memoryIo({ stdin: stdinOf(' \n'), stdinKind: () => 'pipe' })
    expect(await readStdin(io, 'other')).toBeUndefined()
  })

  it('skips a silent pipe if there is other input, and says so', async () => {
    const io = memoryIo({ stdin: stdinOf(undefined), stdinKind: () => 'pipe' })
    const read = readStdin(io, 'other')
    await vi.advanceTimersByTimeAsync(firstByteLimitMs('pipe', 'other'))
    expect(await read).toBeUndefined()
    expect(io.err.text()).toMatch(/waiting for standard input/)
    expect(io.err.text()).toMatch(/continuing without it/)
  })

  it('does not wait for a program that left a socket open', async () => {
    const io = memoryIo({ stdin: stdinOf(undefined), stdinKind: () => 'socket' })
    const read = readStdin(io, 'only')
    await vi.advanceTimersByTimeAsync(firstByteLimitMs('socket', 'only'))
    expect(await read).toBeUndefined()
  })

  it('waits without a limit for input that was requested or is the only one', () => {
    expect(firstByteLimitMs('pipe', 'wait')).toBe(Number.POSITIVE_INFINITY)
    expect(firstByteLimitMs('pipe', 'only')).toBe(Number.POSITIVE_INFINITY)
  })

  it('stops at the first byte too many', async () => {
    const stdin = stdinOf('x'.repeat(LIMITS.inputBytes + 1))
    const io = memoryIo({ stdin, stdinKind: () => 'file' })
    await expect(readStdin(io, 'only')).rejects.toMatchObject({ code: 'payload_too_large' })
  })
})
