import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import { createHands } from './create-hands.ts'
import { createIdleWatch } from './idle-watch.ts'

const createTimers = () => {
  const waiting = new Set<() => void>()
  return {
    startTimer: (_: number, action: () => void) => {
      waiting.add(action)
      return () => void waiting.delete(action)
    },
    elapse: () => {
      for (const action of [...waiting]) {
        waiting.delete(action)
        action()
      }
    },
    count: () => waiting.size,
  }
}

test('a session is idle after its last call, and not while one runs', async () => {
  const timers = createTimers()
  const idle: string[] = []
  const watch = createIdleWatch({ idleMs: 5, ...timers, onIdle: (id) => idle.push(id) })
  const long = Promise.withResolvers<void>()
  const running = watch.during('a', () => long.promise)
  await watch.during('a', async () => undefined)
  timers.elapse()
  expect(idle).toEqual([])
  long.resolve()
  await running
  await expect(watch.during('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  timers.elapse()
  expect(idle).toEqual(['a', 'b'])
})

test('a forgotten session is never reported as idle', async () => {
  const timers = createTimers()
  const watch = createIdleWatch({ idleMs: 5, ...timers, onIdle: expect.unreachable })
  await watch.during('a', async () => undefined)
  watch.forget('a')
  timers.elapse()
  expect(timers.count()).toBe(0)
})

it.runIf(process.platform === 'linux')(
  'an idle session keeps its files and gets a new shell for its next command',
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'steward-idle-'))
    const timers = createTimers()
    const hands = await createHands({ home, idleMs: 5, startTimer: timers.startTimer })
    const bash = async (command: string): Promise<string> => {
      const session = {
        ...{ id: 'sesn_1', networking: { type: 'unrestricted' as const }, mounts: [] },
        ...{ packages: { apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] }, credentials: [] },
      }
      const call = { id: 'sevt_1', name: 'bash', input: { command }, config: {} }
      const { content } = await hands.execute(session, call, new AbortController().signal)
      return content[0]?.type === 'text' ? content[0].text : ''
    }
    try {
      await bash('echo kept > /workspace/file; export NAME=ada; sleep 1000 &')
      timers.elapse()
      expect(await bash('cat /workspace/file; echo "[$NAME]"; pgrep -c sleep')).toMatch(
        /^kept\n\[\]\n0/,
      )
    } finally {
      await hands.close()
      await rm(home, { recursive: true, force: true })
    }
  },
)
