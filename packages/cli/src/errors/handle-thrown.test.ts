import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Interruption } from '../interruption.ts'
import { memoryIo } from '../testing/memory-io.ts'
import { handleThrown } from './handle-thrown.ts'

const waitFor = (signal: AbortSignal): Promise<unknown> =>
  sleep(60_000, undefined, { signal }).catch((thrown: unknown) => thrown)

test('a waiting command that ^C ends exits as interrupted and prints nothing', async () => {
  const stop = new AbortController()
  const io = memoryIo({ args: [], env: {}, homedir: '/nowhere', signal: stop.signal })
  const waiting = waitFor(stop.signal)
  stop.abort(new Interruption('SIGINT'))
  expect(await handleThrown(io, await waiting)).toBe(130)
  expect(io.err.text()).toBe('')
})

test('another call that was aborted is reported', async () => {
  const io = memoryIo({ args: [], env: {}, homedir: '/nowhere' })
  expect(await handleThrown(io, await waitFor(AbortSignal.abort()))).toBe(1)
  expect(io.err.text()).toContain('error: ')
})
