import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import type { LocalRuntime } from '../local-runtime.ts'
import { openLocalRuntime } from '../open-local-runtime.ts'

let home: TemporaryHome
let steward: LocalRuntime

beforeEach(async () => {
  home = createTemporaryHome()
  steward = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, PATH: process.env.PATH },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
  })
})
afterEach(async () => {
  await steward.close()
  home.remove()
})

/** What a debugger does when it is ready. */
const attach = (address: string): void => {
  const socket = new WebSocket(address)
  const goOn = (): void =>
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }))
  socket.addEventListener('open', goOn)
  // The process may not wait yet; then the answer comes and nothing happens.
  socket.addEventListener('message', goOn)
}

it('each action waits for a debugger on loopback and has no time limit', async () => {
  home.action('A_TAKE_TIME', 'await new Promise((done) => setTimeout(done, 50)); return { n: 1 }', {
    timeoutMs: 1,
  })
  home.action('A_TAKE_MORE', 'return { m: input.n + 1 }', { timeoutMs: 1 })
  home.pipeline('P_TAKE', ['A_TAKE_TIME', 'A_TAKE_MORE'])
  const addresses: string[] = []
  const onInspector = (address: string) => {
    addresses.push(address)
    attach(address)
  }
  const { result } = await steward.runner.run('P_TAKE', {}, { onInspector })
  expect(result).toEqual({ output: { n: 1, m: 2 } })
  expect(addresses).toEqual(Array(2).fill(expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/.+/)))
})

it('an action that waits for a debugger ends when the run is stopped', async () => {
  home.action('A_TAKE_TIME', 'return {}')
  const stop = new AbortController()
  const onInspector = () => stop.abort(new Error('no longer wanted'))
  const run = steward.runner.run('A_TAKE_TIME', {}, { onInspector, signal: stop.signal })
  await expect(run).rejects.toThrow('no longer wanted')
})
