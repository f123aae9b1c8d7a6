import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HandsSession } from './hands.ts'
import { DEFAULT_LIMITS } from './sandbox/limits/limits.ts'
import { INSIDE, type RunOutcome, type Sandbox, type SandboxDriver } from './sandbox/sandbox.ts'
import { createSessionHands } from './session-hands.ts'
import { type ProvisionedSession, provisionNothing } from './surroundings.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-session-hands-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const session: HandsSession = {
  id: 'sesn_1',
  networking: { type: 'unrestricted' },
  packages: { apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
  mounts: [],
  credentials: [],
}

/** A driver that counts; `run` decides how each program ends. */
const createCounting = (run: (sandbox: number) => Promise<RunOutcome>) => {
  const made: number[] = []
  const destroyed: number[] = []
  const driver: SandboxDriver = {
    report: {
      ...{ driver: 'none', isolated: false, limits: 'none', seccomp: false },
      ...{ network: 'host', remarks: [] },
    },
    provision: async () => {
      const number = made.push(made.length)
      const sandbox: Sandbox = {
        paths: INSIDE,
        start: () => {
          throw new Error('no program is started here')
        },
        run: () => run(number),
        destroy: async () => {
          destroyed.push(number)
        },
      }
      return sandbox
    },
  }
  return { driver, made, destroyed }
}

const openHands = (driver: SandboxDriver, settle?: ProvisionedSession['settle']) =>
  createSessionHands({
    driver,
    limits: DEFAULT_LIMITS,
    surround: async (...given) => ({
      ...(await provisionNothing(...given)),
      ...(settle === undefined ? {} : { settle }),
    }),
    diskWatch: { watch: () => ({ stop: () => undefined }), close: () => undefined },
    folder,
  })

const outcome = (problem: string | undefined): RunOutcome => ({
  output: new Uint8Array(),
  truncated: false,
  code: problem === undefined ? 0 : 1,
  timedOut: false,
  problem,
})

it('ends every sandbox once, also when two calls find the same one dead', async () => {
  const slow = Promise.withResolvers<RunOutcome>()
  const answers = [Promise.resolve(outcome('gone')), slow.promise]
  const { driver, made, destroyed } = createCounting(
    async () => (await answers.shift()) ?? outcome(undefined),
  )
  const hands = openHands(driver)
  const call = () =>
    hands.execute(
      session,
      { id: 'sevt_1', name: 'glob', input: { pattern: '*' }, config: {} },
      new AbortController().signal,
    )
  const [first, second] = [call(), call()]
  expect((await first).isError).toBe(true)
  expect((await call()).isError).toBe(false)
  slow.resolve(outcome('gone'))
  expect((await second).isError).toBe(true)
  expect((await call()).isError).toBe(false)
  await hands.end()
  expect(made).toHaveLength(2)
  expect(destroyed).toEqual([1, 2])
})

it('ends a sandbox that could not be settled', async () => {
  const { driver, destroyed } = createCounting(async () => outcome(undefined))
  const hands = openHands(driver, () => Promise.reject(new Error('no copy')))
  const { isError } = await hands.execute(
    session,
    { id: 'sevt_1', name: 'glob', input: { pattern: '*' }, config: {} },
    new AbortController().signal,
  )
  expect(isError).toBe(true)
  expect(destroyed).toEqual([1])
})
