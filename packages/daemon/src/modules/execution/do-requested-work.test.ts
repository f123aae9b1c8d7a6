import { join } from 'node:path'
import { API } from '@steward/contract'
import { createTemporaryHome, type TemporaryHome } from '@steward/platform/testing'
import { openLocalRuntime } from '@steward/runner'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import type { RequestedWork } from '../../ports.ts'
import { createExecutionModule, type ExecutionModule } from './execution-module.ts'

const LIBRARY = join(import.meta.dirname, '../../../../../library')
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

let home: TemporaryHome
let module: ExecutionModule
beforeEach(async () => {
  home = createTemporaryHome()
  // Test machines may lack a sandbox.
  home.write('settings.json', '{ "execution": { "shell": { "withoutSandbox": "run" } } }')
  module = createExecutionModule({
    open: () =>
      openLocalRuntime({
        env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline', PATH: process.env.PATH },
        homedir: home.path,
        builtIn: LIBRARY,
      }),
    bus: createBus(log),
    notices: { send: async () => ({ stored: true }) },
    log,
    now: Date.now,
    setTimer: () => () => undefined,
    watchFolder: () => () => undefined,
  })
  await module.start?.()
})
afterEach(async () => {
  await module.stop?.()
  home.remove()
})

/** Requests work as another module does. */
const request = (work: RequestedWork) =>
  module.execution.perform(work, new AbortController().signal)
const runs = async () => {
  const handler = module.handlers.find(({ route }) => route === API.listRuns)
  const query = API.listRuns.query.parse({})
  const call = { signal: new AbortController().signal, header: () => undefined }
  return API.listRuns.answer.parse(await handler?.answer({ params: {}, query, body: {} }, call))
    .runs
}
const script = (...command: string[]) =>
  request({ type: 'script', command, timeoutMs: 20_000 }).catch((thrown: Error) => thrown.message)

it('asks a model once for a key, and the run is in the history', async () => {
  const prompt = 'The tea is due at four. The mail is late. What is due?'
  const work = { type: 'prompt', prompt, tier: 'fast', key: 'task:tea:1' } as const
  const first = await request(work)
  expect(first).toMatchObject({ model: expect.stringContaining('offline') })
  expect(first.detail).toContain('tea')
  expect(await request(work)).toEqual(first)
  expect(await runs()).toMatchObject([{ name: 'A_ASK_MODEL', status: 'completed' }])
})

it('does not ask the offline model where only a real one is worth it', async () => {
  const work = { type: 'prompt', prompt: 'x', tier: 'fast', key: 'k', needsModel: true } as const
  await expect(request(work)).rejects.toMatchObject({ code: 'not_configured' })
  expect(await runs()).toEqual([])
})

it('runs a flow to its end and returns the result', async () => {
  const { detail } = await request({ type: 'flow', name: 'F_SAMPLE_DIGEST', key: 'k' })
  const [run] = await runs()
  expect(run).toMatchObject({ primitive: 'flow', name: 'F_SAMPLE_DIGEST', status: 'completed' })
  expect(detail).toContain(`run ${run?.id}: `)
  const missing = request({ type: 'flow', name: 'F_NOWHERE', key: 'k' })
  await expect(missing).rejects.toMatchObject({ code: 'not_found' })
})

it('runs a script without a shell and returns its output and exit code', async () => {
  const says = await request({
    type: 'script',
    command: ['echo', '$HOME; ls'],
    timeoutMs: 20_000,
  })
  expect(says.detail).toMatch(/^\$HOME; ls\n\(exit 0, isolation \w+.*\)$/)
  expect(await script('ls', '/no/such/folder')).toMatch(/ls.*exit [1-9].*no\/such\/folder/s)
  expect(await script('no-such-program')).toContain('no-such-program')
})

it('lists flows and runs while it runs, and refuses work clearly when it does not', async () => {
  const { execution } = module
  expect(await execution.listFlows()).toContainEqual(
    expect.objectContaining({
      name: 'F_SAMPLE_DIGEST',
      schedule: expect.objectContaining({ intervalMinutes: expect.any(Number) }),
    }),
  )
  await request({ type: 'flow', name: 'F_SAMPLE_DIGEST', key: 'k' })
  expect(await execution.listRuns(1)).toMatchObject([{ name: 'F_SAMPLE_DIGEST' }])
  await module.stop?.()
  expect(await execution.listFlows()).toBeUndefined()
  expect(await execution.listRuns(1)).toEqual([])
  await expect(request({ type: 'flow', name: 'F_SAMPLE_DIGEST', key: 'k' })).rejects.toMatchObject({
    code: 'module_failed',
    details: { module: 'execution', reason: 'no execution module is running' },
  })
})
