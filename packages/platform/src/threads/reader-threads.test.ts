import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { StartTimer } from '../processes/start-timer.ts'
import { createReaderThreads } from './reader-threads.ts'

const MODULE = join(import.meta.dirname, 'testing', 'read-by-order.ts')
const opened: Array<{ close: () => void }> = []
afterEach(() => {
  for (const threads of opened.splice(0)) threads.close()
})

/** Timers that the test lets elapse; each resolves `started` when the code under test sets it. */
const createTimers = () => {
  const set: Array<{ delayMs: number; elapse: () => void }> = []
  let notify = (): void => undefined
  const start: StartTimer = (delayMs, elapse) => {
    const timer = { delayMs, elapse }
    set.push(timer)
    notify()
    return () => {
      const place = set.indexOf(timer)
      if (place !== -1) set.splice(place, 1)
    }
  }
  const next = async () => {
    for (;;) {
      const [timer] = set
      if (timer !== undefined) return timer
      await new Promise<void>((resolve) => {
        notify = resolve
      })
    }
  }
  return { set, start, next }
}

const open = (threads = 1) => {
  const limits = createTimers()
  const idle = createTimers()
  const reader = createReaderThreads<string, string, Uint8Array>({
    module: MODULE,
    limitMs: 2000,
    heapBytes: 32 * 1024 ** 2,
    threads,
    startTimer: limits.start,
    startIdleTimer: idle.start,
  })
  opened.push(reader)
  return {
    read: (order: string, signal?: AbortSignal) => reader.read(order, 'x.html', signal),
    reader,
    limits,
    idle,
  }
}

const refusal = (reason: unknown) => ({
  code: 'rejected_content',
  details: { subject: 'x.html', reason },
})

describe('documents are read in threads of their own', () => {
  it('one after another in the same thread', async () => {
    const { read, limits } = open()
    expect(await Promise.all(['a', 'b', 'c'].map((order) => read(order)))).toEqual([
      'read a',
      'read b',
      'read c',
    ])
    expect(limits.set).toEqual([])
  })

  it('a document that loops is refused at its limit, this thread stays free, and the next is read', async () => {
    const { read, limits } = open()
    const looping = expect(read('loop')).rejects.toMatchObject(
      refusal('reading it takes longer than 2000 ms'),
    )
    const after = read('a')
    const { delayMs, elapse } = await limits.next()
    expect(delayMs).toBe(2000)
    elapse()
    await looping
    expect(await after).toBe('read a')
  })

  it('a document that loops delays no other while a thread is free', async () => {
    const { read, limits } = open(2)
    const looping = expect(read('loop')).rejects.toMatchObject(refusal(expect.any(String)))
    expect(await read('a')).toBe('read a')
    ;(await limits.next()).elapse()
    await looping
  })

  it('a document that needs too much memory is refused, and the next is read', async () => {
    const { read } = open()
    await expect(read('fill memory')).rejects.toMatchObject(
      refusal('reading it takes more than 32 MB of memory'),
    )
    expect(await read('a')).toBe('read a')
  })

  it.each([
    ['overflow the stack', /call stack/],
    ['exit', /the parser ended/],
  ])(
    'a document that makes the parser %s is refused, and the next is read',
    async (order, reason) => {
      const { read } = open()
      await expect(read(order)).rejects.toMatchObject(refusal(expect.stringMatching(reason)))
      expect(await read('a')).toBe('read a')
    },
  )

  it('and may send parts before their result, without a copy', async () => {
    const { reader } = open()
    const parts: number[] = []
    const onPart = (part: Uint8Array) => parts.push(...part)
    expect(await reader.read('send parts', 'x.html', undefined, onPart)).toBe('read send parts')
    expect(parts).toEqual([1, 2, 3])
    // Another document gets none of them.
    expect(await reader.read('a', 'x.html', undefined, onPart)).toBe('read a')
    expect(parts).toHaveLength(3)
  })

  it('without the environment of the process', async () => {
    expect(await open().read('show the environment')).toBe('{}')
  })
})

it('a thread without work ends after a while, and another starts when it is needed', async () => {
  const { read, idle } = open()
  await read('a')
  const { elapse } = await idle.next()
  elapse()
  expect(await read('b')).toBe('read b')
  expect(idle.set).toHaveLength(1)
})

it('a caller that aborts waits no longer, whether its document is being read or waits', async () => {
  const { read, limits } = open()
  const first = new AbortController()
  const second = new AbortController()
  const looping = read('loop', first.signal)
  const waiting = read('a', second.signal)
  const { elapse } = await limits.next()
  second.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  first.abort(new Error('enough'))
  await expect(looping).rejects.toThrow('enough')
  elapse()
  expect(await read('b')).toBe('read b')
})

it('closing refuses documents that are being read or wait', async () => {
  const { read, reader, limits } = open()
  const all = Promise.allSettled([read('loop'), read('a')])
  await limits.next()
  reader.close()
  const closed = { status: 'rejected', reason: refusal('the reader was closed') }
  expect(await all).toMatchObject([closed, closed])
})

it('a module that cannot be loaded is an error of each document', async () => {
  const reader = createReaderThreads({
    module: '/nowhere.ts',
    limitMs: 2000,
    heapBytes: 32 * 1024 ** 2,
  })
  await expect(reader.read('a', 'x.html')).rejects.toMatchObject(
    refusal(expect.stringContaining('/nowhere.ts')),
  )
})

it('a thread without work does not keep the process running', () => {
  const program = `
    const { createReaderThreads } = await import(${JSON.stringify(join(import.meta.dirname, 'reader-threads.ts'))})
    const module = ${JSON.stringify(MODULE)}
    const startIdleTimer = () => () => undefined
    const reader = createReaderThreads({ module, limitMs: 60_000, heapBytes: 2 ** 25, startIdleTimer })
    console.log(await reader.read('a', 'x.html'))`
  const args = ['--input-type=module', '--eval', program]
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 100_000 })
  expect(ended).toMatchObject({ status: 0, stdout: 'read a\n' })
})
