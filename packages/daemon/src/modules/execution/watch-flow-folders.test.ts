import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWatchFolder, startSystemTimer, type WatchFolder } from '@steward/platform'
import { createTemporaryHome, type TemporaryHome } from '@steward/platform/testing'
import { type LocalRuntime, openLocalRuntime } from '@steward/runner'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createExecutionModule, type ExecutionModule } from './execution-module.ts'

let home: TemporaryHome
let module: ExecutionModule
let steward: LocalRuntime
/** Files of the data home are closed to flows. */
const place = mkdtempSync(join(tmpdir(), 'steward-folders-'))
const lines: string[] = []
const say = (line: string) => void lines.push(line)
const log = { info: say, warn: say, error: say }
const watched: string[] = []

/** The real one, except for a folder that the system refuses. */
const watchTree: WatchFolder = (folder, listener) => {
  watched.push(folder)
  if (folder.endsWith('refused')) return undefined
  return createWatchFolder(say, { recursive: true })(folder, listener)
}

beforeAll(async () => {
  home = createTemporaryHome()
  home.write('settings.json', '{ "execution": { "shell": { "withoutSandbox": "run" } } }')
  home.action('A_SHOUT_TEXT', 'return { shout: input.content.toUpperCase() }')
  home.pipeline('P_SHOUT', ['A_SHOUT_TEXT'])
  for (const name of ['in', 'refused', 'timed']) mkdirSync(join(place, name))
  const flow = (name: string, folder: string, schedule: object) => ({
    id: name.toLowerCase(),
    name,
    source: {
      type: 'folder',
      path: join(folder === 'OUTPUT' ? home.path : place, folder),
      glob: '**/*.md',
    },
    pipeline: 'P_SHOUT',
    destination: { type: 'file', path: `${folder}.jsonl` },
    schedule: { runsOn: 'here', ...schedule },
  })
  home.flows(
    flow('F_IN', 'in', { every: '1d' }),
    flow('F_REFUSED', 'refused', { every: '1d' }),
    flow('F_TIMED', 'timed', { at: '07:00' }),
    flow('F_OUTPUT', 'OUTPUT', { every: '1d' }),
  )
  module = createExecutionModule({
    open: async () => {
      steward = await openLocalRuntime({
        env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline' },
        homedir: home.path,
        builtIn: `${home.path}/none`,
      })
      return steward
    },
    bus: createBus(log),
    notices: { send: async () => ({ stored: true }) },
    log,
    now: Date.now,
    setTimer: startSystemTimer,
    watchFolder: () => () => undefined,
    watchTree,
  })
  await module.start?.()
})
afterAll(async () => {
  await module.stop?.()
  home.remove()
  rmSync(place, { recursive: true })
})

const delivered = (): string[] => {
  const file = join(home.path, 'OUTPUT/in.jsonl')
  if (!existsSync(file)) return []
  const rows = readFileSync(file, 'utf8').trim().split('\n')
  return rows.map((row) => String(JSON.parse(row).output.shout))
}
const put = (path: string, text: string) => writeFileSync(join(place, path), text)

it('runs a flow within moments of a new file, each file once', async () => {
  // A time of day was chosen by the user, and a flow that writes into its folder would run indefinitely.
  expect(watched.map((folder) => folder.split('/').at(-1))).toEqual(['in', 'refused'])
  put('in/one.md', 'one')
  await expect.poll(delivered, { timeout: 10_000 }).toEqual(['ONE'])
  mkdirSync(join(place, 'in/below'))
  put('in/.hidden.md', 'hidden')
  put('in/other.txt', 'other')
  put('in/below/two.md', 'two')
  put('in/three.md', 'three')
  await expect.poll(() => delivered().length, { timeout: 10_000 }).toBe(3)
  expect(delivered().toSorted()).toEqual(['ONE', 'THREE', 'TWO'])
  // Only the interval of its schedule reads a folder that cannot be watched.
  put('refused/one.md', 'one')
  expect(steward.history.list({ name: 'F_REFUSED', limit: 10 })).toEqual([])
  expect(lines).toEqual([])
})
