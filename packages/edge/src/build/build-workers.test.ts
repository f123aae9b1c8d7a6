import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BuildReport, type BuildRequest, buildWorkers } from './build-workers.ts'
import { NO_RESOURCES } from './resources.ts'
import { catalogOf } from './testing/catalog-of.ts'
import { SAMPLE } from './testing/sample-catalog.ts'
import { readTree, temporaryFolder, writeFiles } from './testing/write-files.ts'

/** Replace the real modules, so that a build of everything is fast. */
const RUNTIME: Readonly<Record<string, string>> = {
  'runtime/edge/src/worker.ts': `import { StewardError } from '@steward/contract'
const create = (...parts: unknown[]) => ({ parts, StewardError })
export const sealIsolate = (scope: unknown) => scope
export { create as createActionWorker, create as createFlowWorker, create as createPipelineWorker }
export { create as createContainerClass, create as createSandboxWorker, create as createWorkerLlm }
`,
  'runtime/edge/src/container.ts':
    'export const serveAction = async (...parts: unknown[]) => console.log(parts)\n',
  'runtime/contract/src/index.ts': 'export class StewardError extends Error {}\n',
}

const prepare = (root = temporaryFolder()) => {
  writeFiles(root, { ...SAMPLE, ...RUNTIME })
  const request = (): BuildRequest => ({
    catalog: catalogOf(root),
    resources: NO_RESOURCES,
    out: join(root, 'workers'),
    modules: {
      worker: join(root, 'runtime/edge/src/worker.ts'),
      container: join(root, 'runtime/edge/src/container.ts'),
      contract: join(root, 'runtime/contract/src/index.ts'),
    },
  })
  const build = async (change: Partial<BuildRequest> = {}): Promise<BuildReport> => {
    const outcome = await buildWorkers({ ...request(), ...change })
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.mistakes))
    return outcome.report
  }
  const write = (files: Record<string, string>) => writeFiles(root, files)
  return { root, out: join(root, 'workers'), request, build, write }
}

const statuses = ({ workers }: BuildReport): Record<string, string> =>
  Object.fromEntries(workers.map(({ name, status }) => [name, status]))
const builtIn = (report: BuildReport): string[] =>
  report.workers.flatMap(({ name, status }) => (status === 'built' ? [name] : []))

const EVERYTHING = [
  'A_COUNT_FILES',
  'A_SHOUT_TEXT',
  'P_SHOUT_LOUD',
  'F_FEEDS_POLLER',
  'F_FEEDS_PROCESSOR',
]

/** Only the workers: the list of inputs beside them is machine-specific. */
const workersIn = (out: string) =>
  Object.fromEntries(Object.entries(readTree(out)).filter(([name]) => !name.startsWith('.')))

test('gives the same bytes at any location, without paths of the machine', async () => {
  const near = prepare()
  const far = prepare(join(temporaryFolder(), 'somewhere', 'deep', 'down'))
  expect(builtIn(await near.build())).toEqual(EVERYTHING)
  await far.build({ out: join(far.root, '..', 'elsewhere') })
  const first = workersIn(near.out)
  expect(workersIn(join(far.root, '..', 'elsewhere'))).toEqual(first)
  expect(Object.keys(first)).toEqual([
    'a-count-files/Dockerfile',
    'a-count-files/container.js',
    'a-count-files/index.js',
    'a-count-files/src/container.ts',
    'a-count-files/src/index.ts',
    'a-count-files/steward.json',
    'a-count-files/wrangler.jsonc',
    'a-shout-text/index.js',
    'a-shout-text/src/index.ts',
    'a-shout-text/steward.json',
    'a-shout-text/wrangler.jsonc',
    'f-feeds-poller/index.js',
    'f-feeds-poller/src/index.ts',
    'f-feeds-poller/steward.json',
    'f-feeds-poller/wrangler.jsonc',
    'f-feeds-processor/index.js',
    'f-feeds-processor/src/index.ts',
    'f-feeds-processor/steward.json',
    'f-feeds-processor/wrangler.jsonc',
    'p-shout-loud/index.js',
    'p-shout-loud/src/index.ts',
    'p-shout-loud/steward.json',
    'p-shout-loud/wrangler.jsonc',
  ])
  const all = Object.values(first).join('\n')
  expect(all).not.toContain(near.root)
  expect(all).not.toContain('steward-build-')
  // Comments name files by their role: the action's own, its neighbours, packages.
  expect(first['a-shout-text/index.js']).toContain('// ../../lib/upper.ts\n')
  expect(first['a-shout-text/index.js']).toContain('"later.ts"()')
  expect(first['a-shout-text/index.js']).toContain('"node_modules/legacy/index.js"(exports')
})

test('a bundled worker runs as a module: lazy parts, CommonJS packages and Node modules included', async () => {
  const { out, build } = prepare()
  await build()
  const { default: worker } = await import(join(out, 'a-shout-text', 'index.js'))
  const [manifest, implementation] = worker.parts
  expect(manifest).toMatchObject({ name: 'A_SHOUT_TEXT', requires: ['llm'] })
  expect(await implementation.execute({ content: 'hi' })).toEqual({ content: 'HI!a/b later' })
})

test('unchanged workers are not built again, and keep their files', async () => {
  const { out, build } = prepare()
  await build()
  const before = statSync(join(out, 'a-shout-text', 'index.js')).mtimeMs
  const again = await build()
  expect(new Set(Object.values(statuses(again)))).toEqual(new Set(['unchanged']))
  expect(again.workers.every(({ gzipBytes }) => gzipBytes > 100)).toBe(true)
  expect(statSync(join(out, 'a-shout-text', 'index.js')).mtimeMs).toBe(before)
  // Other ids of resources are not in the code, so it is not bundled again.
  const code = readFileSync(join(out, 'f-feeds-poller', 'index.js'), 'utf8')
  const modules = { worker: join(out, 'gone.ts'), container: '', contract: join(out, 'gone.ts') }
  const resources = { ...NO_RESOURCES, kv: { FLOW_STATE: 'another' } }
  expect(builtIn(await build({ resources, modules }))).toEqual(EVERYTHING.slice(3))
  const configuration = readFileSync(join(out, 'f-feeds-poller', 'wrangler.jsonc'), 'utf8')
  expect(configuration).toContain('another')
  expect(readFileSync(join(out, 'f-feeds-poller', 'index.js'), 'utf8')).toBe(code)
})

test.each<[string, Record<string, string>, string[]]>([
  [
    'a file beside the action',
    { 'actions/A_SHOUT_TEXT/mark.ts': `export const mark = () => '?'` },
    ['A_SHOUT_TEXT'],
  ],
  ['shared code', { 'lib/upper.ts': 'export const upper = (t: string) => t' }, ['A_SHOUT_TEXT']],
  ['a package', { 'node_modules/legacy/index.js': 'exports.join = () => 1' }, ['A_SHOUT_TEXT']],
  [
    'the manifest',
    {
      'actions/A_SHOUT_TEXT/action.json': (
        SAMPLE['actions/A_SHOUT_TEXT/action.json'] ?? ''
      ).replace('loud', 'louder'),
    },
    ['A_SHOUT_TEXT'],
  ],
  [
    'a pipeline',
    {
      'pipelines/P_SHOUT_LOUD.yaml':
        'name: P_SHOUT_LOUD\ndescription: Once.\nactions: [A_SHOUT_TEXT]\n',
    },
    ['P_SHOUT_LOUD'],
  ],
  ['the feeds of a flow', { 'flows/feeds.json': '[]' }, ['F_FEEDS_POLLER']],
  ['our own code', { 'runtime/contract/src/index.ts': 'export class StewardError {}' }, EVERYTHING],
  [
    'a file that was edited by hand',
    { 'workers/p-shout-loud/wrangler.jsonc': '{}' },
    ['P_SHOUT_LOUD'],
  ],
])('%s changed: exactly what depends on it is built', async (_, files, expected) => {
  const { build, write } = prepare()
  await build()
  write(files)
  expect(builtIn(await build())).toEqual(expected)
  expect(builtIn(await build())).toEqual([])
})

test('without the list of inputs everything is built again, to the same bytes', async () => {
  const { out, build } = prepare()
  await build()
  const before = workersIn(out)
  rmSync(join(out, '.build-inputs.json'))
  expect(builtIn(await build())).toEqual(EVERYTHING)
  expect(workersIn(out)).toEqual(before)
})

test('workers of deleted primitives are removed; foreign directories stay', async () => {
  const { root, out, build, write } = prepare()
  await build()
  write({ 'workers/a-mine/wrangler.jsonc': '{}', 'workers/README.md': 'mine' })
  write({ 'flows/flow-index.json': '{"flows":[]}' })
  rmSync(join(root, 'actions/A_COUNT_FILES'), { recursive: true })
  expect((await build({ only: ['A_SHOUT_TEXT'] })).removed).toEqual([])
  expect((await build()).removed).toEqual(['a-count-files', 'f-feeds-poller', 'f-feeds-processor'])
  expect(existsSync(join(out, 'a-count-files'))).toBe(false)
  expect(existsSync(join(out, 'a-mine/wrangler.jsonc'))).toBe(true)
  expect(existsSync(join(out, 'README.md'))).toBe(true)
})

test('reports every mistake at once, and writes nothing', async () => {
  const { out, request, build, write } = prepare()
  await build()
  const before = readTree(out)
  write({
    'actions/A_SHOUT_TEXT/mark.ts': 'export const mark = (',
    'actions/A_COUNT_FILES/action.ts': `import 'no-such-package'\nexport const execute = () => ({})`,
    'pipelines/P_SHOUT_LOUD.yaml':
      'name: P_SHOUT_LOUD\ndescription: Once.\nactions: [A_SHOUT_TEXT]\n',
  })
  const outcome = await buildWorkers(request())
  expect(outcome).toEqual({
    ok: false,
    mistakes: [
      {
        subject: 'A_COUNT_FILES',
        reason: expect.stringMatching(/^action\.ts:1:8: .*no-such-package/),
      },
      { subject: 'A_SHOUT_TEXT', reason: expect.stringMatching(/^mark\.ts:1:\d+: /) },
    ],
  })
  expect(readTree(out)).toEqual(before)
})

test('a foreign directory is never replaced', async () => {
  const { out, request } = prepare()
  writeFiles(out, { 'a-shout-text/wrangler.jsonc': 'mine' })
  expect(await buildWorkers(request())).toEqual({
    ok: false,
    mistakes: [
      {
        subject: 'A_SHOUT_TEXT',
        reason: expect.stringContaining('a-shout-text/ was not created by'),
      },
    ],
  })
  expect(readFileSync(join(out, 'a-shout-text/wrangler.jsonc'), 'utf8')).toBe('mine')
})

test('builds only what was named; an unknown or broken name is a mistake, other mistakes are ignored', async () => {
  const { out, request, build } = prepare()
  const broken = {
    ...request().catalog,
    unreadable: [{ subject: 'A_BROKEN_ONE', reason: 'no JSON' }],
  }
  expect(builtIn(await build({ catalog: broken, only: ['P_SHOUT_LOUD'] }))).toEqual([
    'P_SHOUT_LOUD',
  ])
  expect(existsSync(join(out, 'a-shout-text'))).toBe(false)
  expect(
    await buildWorkers({ ...request(), catalog: broken, only: ['A_BROKEN_ONE', 'P_SHOUT_LOUT'] }),
  ).toEqual({
    ok: false,
    mistakes: [
      { subject: 'A_BROKEN_ONE', reason: 'no JSON' },
      { subject: 'P_SHOUT_LOUT', reason: expect.stringContaining('did you mean P_SHOUT_LOUD?') },
    ],
  })
})

test('removes leftovers of a killed build', async () => {
  const { out, build } = prepare()
  // No process has this pid: it is above the system's limit.
  mkdirSync(join(out, '.staging-99999999-x', 'new'), { recursive: true })
  await build()
  expect(existsSync(join(out, '.staging-99999999-x'))).toBe(false)
})

test('two concurrent builds leave everything in place', async () => {
  const { out, build } = prepare()
  const reports = await Promise.all([build(), build()])
  expect(reports.map(({ workers }) => workers.length)).toEqual([
    EVERYTHING.length,
    EVERYTHING.length,
  ])
  expect(builtIn(await build())).toEqual([])
  expect(Object.keys(readTree(out)).filter((name) => name.startsWith('.staging'))).toEqual([])
})
