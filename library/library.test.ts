import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  actionsIn,
  flowIndex,
  type JsonObject,
  LIMITS,
  StewardError,
  tierOf,
} from '@steward/contract'
import {
  compilePipeline,
  createPipelineRun,
  itemFromFeed,
  parseFeed,
  runLoop,
  type StepWork,
} from '@steward/engine'
import { beforeAll, describe, expect, test } from 'vitest'
import { knownLabels } from './lib/labels.ts'
import { readTexts } from './lib/read-fields.ts'
import { createOfflineModel } from './lib/testing/offline-model.ts'
import { LIBRARY, readActions, readPipelines } from './lib/testing/read-library.ts'
import { runAction } from './lib/testing/run-action.ts'

const actions = await readActions()
const pipelines = await readPipelines()
const readIndex = async () =>
  flowIndex.parse(JSON.parse(await readFile(join(LIBRARY, 'flows/flow-index.json'), 'utf8')))

/** Runs a pipeline on the offline model, without network. */
const run = async (name: string, input: JsonObject): Promise<JsonObject> => {
  const definition = pipelines.find((pipeline) => pipeline.name === name)
  if (definition === undefined) throw new StewardError('not_found', { what: 'pipeline', name })
  const pipeline = createPipelineRun(compilePipeline(definition), input, () => undefined)
  const open: StepWork[] = []
  for (let next = pipeline.start(); ; ) {
    if (next.end !== undefined) {
      if ('thrown' in next.end) throw next.end.thrown
      return next.end.output
    }
    open.push(...next.work)
    const work = open.shift()
    if (work?.kind !== 'action') throw new Error('the pipelines of the library do not wait')
    next = pipeline.next(work, { output: await perform(work.action, work.input) })
  }
}

const perform = (action: string, input: JsonObject): Promise<JsonObject> => {
  const loaded = actions.get(action)
  if (loaded === undefined) throw new StewardError('not_found', { what: 'action', name: action })
  return runAction(loaded.manifest, loaded, input, { capabilities: { llm: createOfflineModel() } })
}

describe('every action', () => {
  test.each([...actions])(
    '%s: folder and name agree, with a test beside it',
    async (folder, { manifest }) => {
      expect(manifest.name).toBe(folder)
      expect(manifest.$schema).toBe('../../../schemas/action.schema.json')
      expect(await readdir(join(LIBRARY, 'actions', folder))).toContain('action.test.ts')
    },
  )

  test('those for an isolate import no module of Node', async () => {
    for (const [name, { manifest }] of actions) {
      if (tierOf(manifest) === 'sandbox') continue
      const folder = join(LIBRARY, 'actions', name)
      for (const file of await readdir(folder)) {
        if (file.endsWith('.test.ts') || !file.endsWith('.ts')) continue
        expect(await readFile(join(folder, file), 'utf8'), `${name}/${file}`).not.toMatch(/'node:/)
      }
    }
  })
})

test('every pipeline chains actions that exist', () => {
  expect(pipelines.length).toBeGreaterThanOrEqual(4)
  for (const { name, actions: chain } of pipelines) {
    for (const action of actionsIn(chain))
      expect(actions.has(action), `${name}: ${action}`).toBe(true)
  }
})

test('every flow names a pipeline that exists', async () => {
  const { flows } = await readIndex()
  expect(flows.length).toBeGreaterThanOrEqual(2)
  const named = flows.flatMap(({ pipeline }) => (pipeline === undefined ? [] : [pipeline]))
  expect(pipelines.map(({ name }) => name)).toEqual(expect.arrayContaining(named))
})

describe('the sample digest, offline', () => {
  let entries: JsonObject[] = []
  beforeAll(async () => {
    const feed = await parseFeed(await readFile(join(LIBRARY, 'flows/sample-feed.xml')))
    if (!feed.ok) throw feed.error
    const items = feed.value.items.map(itemFromFeed)
    entries = await Promise.all(items.map(({ payload }) => run('P_ARTICLE_DIGEST', payload)))
  })

  test('each article becomes an entry with title, summary, points, labels and rating', () => {
    expect(entries).toHaveLength(5)
    for (const entry of entries) {
      expect(entry.body).toMatch(
        /^## \[.+\]\(https:\/\/example\.org\/field-notes\/[\w-]+\)\n\n\*.+, \d+ November 2026\*\n\n[A-Z]/,
      )
      expect(entry.body).toMatch(/\n- .+\n- .+\n\nRated [SABCD] \(\d+ of 100\) · Labels: \w+/)
      expect(entry.extracted_from).toBe('html')
      expect(String(entry.summary).length).toBeLessThan(LIMITS.labelContentMinChars * 5)
      expect(readTexts(entry, 'labels').filter((label) => !knownLabels([label]).length)).toEqual([])
    }
  })

  test('the labels match the articles', () => {
    const labels = (title: string) => entries.find((entry) => entry.title === title)?.labels
    expect(labels('What a Password Manager Is Really For')).toContain('security')
    expect(labels('Clocks That Grow on Stone')).toContain('science')
    expect(labels('Listening to the Power Grid')).toContain('climate')
    expect(labels('A Computer That Sleeps Almost All the Time')).toContain('hardware')
  })
})

test('a local text without an address becomes an entry too', async () => {
  const content = await readFile(
    join(LIBRARY, 'flows/sample-texts/The-Long-Memory-of-Ice.txt'),
    'utf8',
  )
  const { body } = await run('P_ARTICLE_DIGEST', { content, title: 'The Long Memory of Ice' })
  expect(body).toMatch(/^## The Long Memory of Ice\n\n[A-Z]/)
})

test('the looping flow ends by its criterion, offline, after more than one iteration', async () => {
  const { flows } = await readIndex()
  const gate = flows.find(({ name }) => name === 'F_SAMPLE_REFINE')?.loop
  if (gate === undefined) throw new Error('F_SAMPLE_REFINE has no loop gate')
  const content = await readFile(
    join(LIBRARY, 'flows/sample-texts/The-Long-Memory-of-Ice.txt'),
    'utf8',
  )
  const scores: unknown[] = []
  const { output, passed, iterations } = await runLoop(
    gate,
    { content, title: 'The Long Memory of Ice' },
    async (input) => {
      const result = await run('P_REFINE_SUMMARY', input)
      scores.push(result.qualityScore)
      return result
    },
  )
  expect(passed).toBe(true)
  expect(iterations).toBeGreaterThan(1)
  expect(iterations).toBeLessThan(gate.maxIterations)
  expect(scores).toEqual(scores.toSorted((a, b) => Number(a) - Number(b)))
  expect(output.body).toContain(output.summary)
})
