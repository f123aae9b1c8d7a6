import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { type Catalog, createCatalog } from './catalog.ts'
import { declaredSecrets } from './declared-secrets.ts'
import { listCatalog } from './list-catalog.ts'
import { catalogRoots } from './roots.ts'

let home: TemporaryHome
let catalog: Catalog

const builtIn = (name: string, code: string): void => {
  const folder = join(home.path, 'library/actions', name)
  mkdirSync(folder, { recursive: true })
  const manifest = { name, description: 'Built in.', input: {}, output: {} }
  writeFileSync(join(folder, 'action.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'action.mjs'), `export const execute = () => (${code})`)
}

const codeOf = async (name: string): Promise<string> => {
  const { file } = await catalog.actions.load(name)
  return readFileSync(file, 'utf8')
}

beforeEach(() => {
  home = createTemporaryHome()
  catalog = createCatalog(catalogRoots(join(home.path, 'USER'), join(home.path, 'library')))
})
afterEach(() => home.remove())

describe('actions', () => {
  it('the version of the user wins by name, as soon as it exists and until it is deleted', async () => {
    builtIn('A_SAY_WHO', '{ who: "built-in" }')
    expect(await codeOf('A_SAY_WHO')).toContain('{ who: "built-in" }')
    home.action('A_SAY_WHO', 'return { who: "user" }')
    expect(await codeOf('A_SAY_WHO')).toContain('{ who: "user" }')
    expect(catalog.actions.entries().get('A_SAY_WHO')).toMatchObject({
      origin: 'user',
      overrides: true,
    })
    rmSync(join(home.path, 'USER/ACTIONS/A_SAY_WHO'), { recursive: true })
    expect(await codeOf('A_SAY_WHO')).toContain('{ who: "built-in" }')
  })

  it('skips folders without a manifest, such as lib', () => {
    builtIn('A_SAY_WHO', '{}')
    mkdirSync(join(home.path, 'library/actions/lib'))
    expect([...catalog.actions.entries().keys()]).toEqual(['A_SAY_WHO'])
  })

  it('reloads only what changed', async () => {
    home.action('A_SAY_ONE', 'return {}')
    expect(await catalog.actions.load('A_SAY_ONE')).toBe(await catalog.actions.load('A_SAY_ONE'))
  })

  it.each([
    [
      'no implementation',
      { 'action.json': '{"name":"A_BREAK_IT"}' },
      /the implementation is missing: add action\.ts/,
    ],
    ['a manifest that is not JSON', { 'action.json': '{"name": }', 'action.mjs': '' }, /line 1/],
    [
      'another name than its folder',
      {
        'action.json': '{"name":"A_OTHER_NAME","description":"d","input":{},"output":{}}',
        'action.mjs': 'export const execute = () => ({})',
      },
      /line 1: name: A_OTHER_NAME differs from the folder A_BREAK_IT/,
    ],
    [
      'several kinds of mistakes',
      { 'action.json': '{\n  "name": "A_OTHER_NAME",\n  "timeout": 5,\n  "requires": ["lm"]\n}' },
      /implementation is missing.*description: is required.*line 4: requires\[0\].*did you mean llm.*line 3: timeout: unknown key \(did you mean timeoutMs\?\).*line 2: name: A_OTHER_NAME/,
    ],
  ])('reports what is wrong with %s', async (_, files, message) => {
    for (const [file, text] of Object.entries(files))
      home.write(`USER/ACTIONS/A_BREAK_IT/${file}`, text)
    await expect(catalog.actions.load('A_BREAK_IT')).rejects.toThrow(message)
  })

  it('are described without a look at their code', async () => {
    home.action('A_BREAK_IT', 'return {}')
    home.write('USER/ACTIONS/A_BREAK_IT/action.ts', 'process.exit(3)\nexport const =')
    expect((await catalog.actions.load('A_BREAK_IT')).manifest.name).toBe('A_BREAK_IT')
  })

  it('lists the secrets they declare', () => {
    home.action('A_USE_KEY', 'return {}', { secrets: ['MY_KEY', 'OTHER_KEY'] })
    home.action('A_USE_MORE', 'return {}', {
      secrets: ['MY_KEY', { name: 'MORE_KEY', optional: true }],
    })
    home.write('USER/ACTIONS/A_BREAK_IT/action.json', 'rubbish')
    home.flows({
      source: { type: 'api', headers: { authorization: 'Bearer ${API_AUTH}' } },
      destination: { type: 's3', accessKeyId: 'S3_ID', secretAccessKey: 'S3_PHRASE' },
    })
    expect(declaredSecrets(catalog)).toEqual(
      ['MY_KEY', 'OTHER_KEY', 'MORE_KEY', 'API_AUTH', 'S3_ID', 'S3_PHRASE'], // of actions, of flows
    )
  })
})

describe('pipelines', () => {
  it('are YAML files and PIPELINE.md folders', () => {
    home.pipeline('P_ONE_WAY', ['A_DO_THIS', 'A_DO_THAT'])
    home.write(
      'USER/PIPELINES/Blog_Other-Way/PIPELINE.md',
      '# Other way\n\n**Purpose:** Another.\n\n| Step | Action | Purpose |\n|---|---|---|\n| 1 | A_DO_THIS | x |\n| 2 | A_DO_THAT | y |\n',
    )
    expect([...catalog.pipelines.entries().keys()]).toEqual(['P_ONE_WAY', 'P_OTHER_WAY'])
    expect(catalog.pipelines.load('P_OTHER_WAY').definition.actions).toEqual([
      'A_DO_THIS',
      'A_DO_THAT',
    ])
  })

  it('are listed even if unreadable, and report why when they are loaded', () => {
    home.write('USER/PIPELINES/Blog_Broken/PIPELINE.md', 'nothing')
    expect([...catalog.pipelines.entries().keys()]).toEqual(['Blog_Broken'])
    expect(() => catalog.pipelines.load('Blog_Broken')).toThrow(/title is required/)
  })

  it('report unknown actions beside their other mistakes', () => {
    home.action('A_DO_THIS', 'return {}')
    const mistakes = () => {
      try {
        return catalog.pipelines.load('P_BAD') && []
      } catch (thrown) {
        return String(thrown).split('; ')
      }
    }
    home.write(
      'USER/PIPELINES/P_BAD.yaml',
      'name: P_BAD\nretries: 3\nactions:\n  - A_DO_THSI\n  - nothing\n  - A_DO_THIS\n',
    )
    expect(mistakes()).toEqual([
      expect.stringMatching(/description: is required/),
      'line 2: retries: unknown key',
      'line 4: actions[0]: A_DO_THSI does not exist (did you mean A_DO_THIS?)',
      expect.stringMatching(/^line 5: actions\[1\]: nothing is not a valid name/),
    ])
    // It has appeared since, without a change of the pipeline.
    home.action('A_DO_THSI', 'return {}')
    expect(mistakes()).toHaveLength(3)
    home.write(
      'USER/PIPELINES/Blog_Bad/PIPELINE.md',
      '# P_MARKED\n\n| Step | Action | Purpose |\n|---|---|---|\n| 1 | A_DO_THAT | x |\n',
    )
    expect(() => catalog.pipelines.load('Blog_Bad')).toThrow(
      /Purpose is required.*; line 5: actions\[0\]: A_DO_THAT does not exist/,
    )
  })

  it('are read again when their file changes', () => {
    home.pipeline('P_CHANGING', ['A_DO_THIS', 'A_DO_THAT'])
    catalog.pipelines.load('P_CHANGING')
    home.pipeline('P_CHANGING', ['A_DO_THAT'])
    expect(catalog.pipelines.load('P_CHANGING').definition.actions).toEqual(['A_DO_THAT'])
  })
})

describe('flows', () => {
  const flow = (name: string, extra: Record<string, unknown> = {}) => ({
    id: name.toLowerCase(),
    name,
    source: { type: 'rss', url: 'https://example.org/feed' },
    pipeline: 'P_DIGEST_IT',
    destination: { type: 'email', address: 'me@example.org' },
    schedule: { intervalMinutes: 60, enabled: true },
    ...extra,
  })

  it('are found by name and by id, with the closest match suggested', () => {
    home.pipeline('P_DIGEST_IT', ['A_DO_THIS', 'A_DO_THAT'])
    home.action('A_DO_THIS', 'return {}')
    home.action('A_DO_THAT', 'return {}')
    home.flows(flow('F_BLOG_DIGEST'))
    expect(catalog.flows.load('f_blog_digest').flow.name).toBe('F_BLOG_DIGEST')
    expect(() => catalog.flows.load('F_BLOG_DIGST')).toThrow('did you mean F_BLOG_DIGEST?')
  })

  it('report every mistake of an entry, each with its line', () => {
    const source = { type: 'rss', url: 'https://example.org/feed', pagination: 'link' }
    const schedule = { intervalMinutes: 0, enabled: 'yes', crons: '0 7 * * *' }
    home.write(
      'USER/FLOWS/flow-index.json',
      JSON.stringify({ flows: [flow('F_ONE_FLOW', { source, schedule, concurency: 2 })] }, null, 2),
    )
    const [broken] = catalog.flows.problems().flows
    expect(broken?.error.message.split('; ')).toEqual([
      expect.stringContaining('line 9: flows[0].source.pagination: unknown key'),
      'line 17: flows[0].schedule.intervalMinutes: must be at least 1, found 0',
      'line 18: flows[0].schedule.enabled: must be a boolean, found string',
      'line 19: flows[0].schedule.crons: unknown key (did you mean cron?)',
      'line 21: flows[0].concurency: unknown key (did you mean concurrency?)',
      'line 11: flows[0].pipeline: P_DIGEST_IT does not exist',
    ])
    expect(() => catalog.flows.load('F_ONE_FLOW')).toThrow('intervalMinutes')
  })

  it('report an unknown pipeline or field of a loop beside their other mistakes', async () => {
    home.action('A_DO_THIS', 'return {}')
    home.action('A_DO_THAT', 'return {}', { output: { qualityScore: { type: 'number' } } })
    home.pipeline('P_DIGEST_IT', ['A_DO_THIS', 'A_DO_THAT'])
    const loop = { field: 'quality_score', op: 'gte', value: 1, maxIterations: 2 }
    const flows = [
      flow('F_ONE_FLOW', { pipeline: 'P_DIGST_IT', retries: 1 }),
      flow('F_TWO_FLOW', { loop, concurency: 2 }),
      flow('F_BAD_FLOW', { pipeline: 'digest' }),
    ]
    home.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows }, null, 2))
    const { flows: listed } = await listCatalog(catalog)
    expect(listed.map(({ error }) => error?.split('; '))).toEqual([
      [expect.stringMatching(/line \d+: flows\[2\]\.pipeline: digest is not a valid name/)],
      [
        expect.stringMatching(/line \d+: flows\[0\]\.retries: unknown key/),
        'line 10: flows[0].pipeline: P_DIGST_IT does not exist (did you mean P_DIGEST_IT?)',
      ],
      [
        expect.stringMatching(/line \d+: flows\[1\]\.concurency: unknown key/),
        'line 38: flows[1].loop.field: no action of the pipeline declares quality_score as output (did you mean qualityScore?)',
        'declared: qualityScore',
      ],
    ])
  })

  it('that are broken do not hide the others', async () => {
    home.action('A_DO_THIS', 'return {}')
    home.action('A_DO_THAT', 'return {}')
    home.pipeline('P_DIGEST_IT', ['A_DO_THIS', 'A_DO_THAT'])
    const flows = [flow('F_GOOD_FLOW'), flow('F_BAD_FLOW', { destination: {} }), 5]
    home.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows }))
    expect(catalog.flows.load('F_GOOD_FLOW').flow.name).toBe('F_GOOD_FLOW')
    const listing = await listCatalog(catalog)
    expect(listing.flows.map(({ name, error }) => [name, error === undefined])).toEqual([
      ['F_BAD_FLOW', false],
      ['F_GOOD_FLOW', true],
      ['flows[2]', false],
    ])
    expect(listing.errors).toEqual([])
  })

  it('of the library stay listed when the registry of the user is not JSON', async () => {
    const folder = join(home.path, 'library/flows')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'flow-index.json'), JSON.stringify({ flows: [flow('F_BUILT_IN')] }))
    home.write('USER/FLOWS/flow-index.json', '{"flows": [')
    const { flows, errors } = await listCatalog(catalog)
    expect(flows.map(({ name }) => name)).toEqual(['F_BUILT_IN'])
    expect(errors).toEqual([expect.stringMatching(/flow-index\.json is not valid JSON.*line 1/s)])
    expect(() => catalog.flows.load('F_MINE')).toThrow('is not valid JSON')
  })

  it.each([
    [
      'an unknown pipeline',
      { pipeline: 'P_DIGEST' },
      /line 1: pipeline: P_DIGEST does not exist \(did you mean P_DIGEST_IT\?\)/,
    ],
    [
      'a loop gate on an undeclared field',
      { loop: { field: 'quality_score', op: 'gte', value: 1, maxIterations: 2 } },
      /line 1: loop\.field: no action of the pipeline declares quality_score as output \(did you mean qualityScore\?\)/,
    ],
    [
      'a loop gate on a value of another type',
      { loop: { field: 'qualityScore', op: 'eq', value: 'high', maxIterations: 2 } },
      /loop\.value: "high" never matches qualityScore, which is declared as number/,
    ],
  ])('report %s before they run, and in the list', async (_, extra, message) => {
    home.action('A_DO_THIS', 'return {}')
    home.action('A_DO_THAT', 'return {}', { output: { qualityScore: { type: 'number' } } })
    home.pipeline('P_DIGEST_IT', ['A_DO_THIS', 'A_DO_THAT'])
    home.flows(flow('F_BLOG_DIGEST', extra))
    expect(() => catalog.flows.load('F_BLOG_DIGEST')).toThrow(message)
    const { flows } = await listCatalog(catalog)
    expect(flows[0]?.error).toMatch(message)
  })

  it('whose pipeline names unknown actions are listed with it', async () => {
    home.action('A_DO_THIS', 'return {}')
    home.pipeline('P_DIGEST_IT', ['A_DO_THAT_TOO', 'A_DO_THSI', 'A_DO_THIS'])
    home.flows(flow('F_BLOG_DIGEST'))
    const { flows, pipelines } = await listCatalog(catalog)
    expect(pipelines[0]?.error).toMatch(
      /line \d: actions\[0\]: A_DO_THAT_TOO does not exist.*; line \d: actions\[1\]: A_DO_THSI does not exist \(did you mean A_DO_THIS\?\)/,
    )
    expect(flows[0]?.error).toContain('pipeline: P_DIGEST_IT does not load')
  })
})
