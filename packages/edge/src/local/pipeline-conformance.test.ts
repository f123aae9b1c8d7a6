import { join } from 'node:path'
import type { JsonObject, PipelineDefinition } from '@steward/contract'
import { type LocalRuntime, openLocalRuntime } from '@steward/runner'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { type BuiltEdge, startBuiltEdge } from './testing/start-built-edge.ts'
import { START_LIMIT_MS } from './testing/start-workers.ts'

/** What the actions declare, so that expressions may use it. */
const FIELDS = {
  n: { type: 'number', required: false },
  text: { type: 'string', required: false },
  list: { type: 'array', required: false },
  pages: { type: 'array', required: false },
  seen: { type: 'array', required: false },
  answer: { type: 'string', required: false },
  label: { type: 'string', required: false },
}

const ACTIONS: Record<string, string> = {
  A_ADD_ONE: '({ n }) => ({ n: (n ?? 0) + 1 })',
  A_ASK_IT: '({ prompt }) => ({ answer: `re: ${prompt}` })',
  A_LIST_PAGES: '({ n }) => ({ pages: Array.from({ length: n }, (_, at) => ({ n: at })) })',
  A_FAIL_ODD: '({ n }) => { if (n % 2 === 1) throw new Error("odd"); return { even: true } }',
  A_GIVE_LABEL: '({ error }) => ({ label: error.code })',
  A_SEE_FIELDS:
    '(input, { pipeline }) => ({ seen: Object.keys(input).toSorted(), at: pipeline.step })',
}

/** One suite of definitions, each with inputs. */
const CASES: Record<
  string,
  Pick<PipelineDefinition, 'actions' | 'input'> & { inputs: JsonObject[] }
> = {
  P_PLAIN_LIST: { actions: ['A_ADD_ONE', 'A_ADD_ONE', 'A_SEE_FIELDS'], inputs: [{}, { n: 5 }] },
  P_INPUT_DEFAULTS: {
    input: { language: { type: 'string', default: 'en' }, n: { type: 'integer', required: true } },
    actions: ['A_ADD_ONE', 'A_SEE_FIELDS'],
    inputs: [{ n: 1 }, { n: 1, language: 'de' }, {}, { n: 'x' }],
  },
  P_WITH_FIELDS: {
    actions: [
      { action: 'A_ASK_IT', with: { prompt: '{text} x{n} {{n}}', list: '{list}', n: 9 } },
      'A_SEE_FIELDS',
    ],
    inputs: [
      { text: 'hi', n: 2, list: [1, { a: 'b' }] },
      { text: 'hi', n: 2 },
    ],
  },
  P_ONLY_WHEN: {
    actions: [
      'A_ADD_ONE',
      { when: 'n > 2 && text.contains("AI")' },
      'A_ADD_ONE',
      { when: 'n < 9' },
    ],
    inputs: [
      { n: 1, text: 'AI' },
      { n: 2, text: 'AI' },
      { n: 2, text: '-' },
      { n: 7, text: 'AI' },
      {},
    ],
  },
  P_IN_PARALLEL: {
    actions: [
      {
        parallel: [
          ['A_ADD_ONE', 'A_ADD_ONE'],
          [{ when: 'n > 3' }, { action: 'A_ASK_IT', with: { prompt: 'big' } }],
          ['A_FAIL_ODD', 'A_SEE_FIELDS'],
        ],
      },
      'A_ADD_ONE',
    ],
    inputs: [{ n: 2 }, { n: 4, list: [{}] }, { n: 3 }],
  },
  P_FOR_EACH: {
    actions: [
      'A_LIST_PAGES',
      {
        each: 'pages',
        do: [
          { when: 'n != 2' },
          { action: 'A_ASK_IT', with: { prompt: '{index} of {text}' } },
          { action: 'A_FAIL_ODD', onError: 'A_GIVE_LABEL' },
        ],
        max: 5,
        concurrency: 2,
      },
      { when: 'pages.exists(p, has(p.label))' },
      'A_SEE_FIELDS',
    ],
    inputs: [{ n: 7, text: 'book' }, { n: 1, text: 'leaf' }, { n: 0, text: 'none' }, { n: 3 }],
  },
  P_ON_ERROR: {
    actions: [
      {
        action: 'A_FAIL_ODD',
        retry: { attempts: 2, delay: '0s' },
        onError: [{ when: 'n > 1' }, 'A_GIVE_LABEL', 'A_ADD_ONE'],
      },
      'A_SEE_FIELDS',
    ],
    inputs: [{ n: 2 }, { n: 3 }, { n: 1 }],
  },
  P_FAILING_ELEMENT: {
    actions: [{ each: 'list', do: ['A_ADD_ONE', 'A_FAIL_ODD'], concurrency: 1 }],
    inputs: [{ list: [{ n: 1 }, { n: 2 }, { n: 3 }] }, { list: [] }, { list: 'no' }, {}],
  },
}

let home: TemporaryHome
let steward: LocalRuntime
let edge: BuiltEdge

beforeAll(async () => {
  home = createTemporaryHome()
  const manifest = { input: FIELDS, output: FIELDS }
  for (const [name, code] of Object.entries(ACTIONS)) {
    home.action(name, 'return {}', manifest)
    home.write(`USER/ACTIONS/${name}/action.ts`, `export const execute = ${code}`)
  }
  for (const [name, { inputs: _, ...written }] of Object.entries(CASES)) {
    const definition = { name, description: `${name}.`, ...written }
    home.write(`USER/PIPELINES/${name}.yaml`, JSON.stringify(definition))
  }
  steward = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, PATH: process.env.PATH },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
  })
  const modules = Object.entries(ACTIONS).map(([name, code]) => [
    name,
    { module: `export const execute = ${code}`, manifest },
  ])
  const definitions = Object.entries(CASES).map(([name, { inputs: _, ...written }]) => [
    name,
    written,
  ])
  edge = await startBuiltEdge(Object.fromEntries(modules), Object.fromEntries(definitions))
}, START_LIMIT_MS)

afterAll(async () => {
  await edge?.stop()
  await steward?.close()
  home?.remove()
})

interface Seen {
  steps: unknown
  output?: unknown
  filtered?: unknown
  code?: unknown
  error?: unknown
  stage?: unknown
}

const withoutTimes = (steps: readonly { action: string; path?: string; status?: string }[]) =>
  steps.map(({ action, path, status }) => ({ action, path, status }))

const here = async (name: string, input: JsonObject): Promise<Seen> => {
  try {
    const { result, steps, runId } = await steward.runner.run(name, input)
    const history = steward.history.get(runId)?.steps ?? []
    const seen = { steps: withoutTimes(steps) }
    if (history.some(({ path }) => path !== undefined)) {
      expect(withoutTimes(history)).toEqual(seen.steps)
    }
    if ('output' in result) return { ...seen, ...result }
    return {
      ...seen,
      code: result.error.code,
      error: result.error.message,
      stage: result.stage,
    }
  } catch (thrown) {
    const { code, message } = Object(thrown)
    return { steps: [], code, error: message }
  }
}

const onTheEdge = async (name: string, input: JsonObject): Promise<Seen> => {
  const { body } = await edge.post(name, input)
  const { success, steps = [], output, filtered, code, error, failed_stage } = Object(body)
  const seen = { steps: withoutTimes(steps) }
  if (success === true) return { ...seen, output, ...(filtered && { filtered }) }
  return { ...seen, code, error, ...(failed_stage && { stage: failed_stage }) }
}

describe('a definition behaves the same on this machine and on workerd', () => {
  it.each(
    Object.entries(CASES).flatMap(([name, { inputs }]) =>
      inputs.map((input): [string, JsonObject] => [name, input]),
    ),
  )('%s with %j', async (name, input) => {
    const local = await here(name, input)
    expect(await onTheEdge(name, input)).toEqual(local)
  })

  it('and the suite filters, fails, falls back and fans out', async () => {
    const ends = await Promise.all(
      Object.entries(CASES).flatMap(([name, { inputs }]) =>
        inputs.map(async (input) => ({ name, ...(await here(name, input)) })),
      ),
    )
    expect(ends.filter(({ filtered }) => filtered !== undefined).length).toBeGreaterThan(4)
    expect(ends.filter(({ code }) => code !== undefined).length).toBeGreaterThan(6)
    const [pages] = ends.filter(({ name }) => name === 'P_FOR_EACH')
    expect(pages?.output).toMatchObject({
      pages: [
        { n: 0, answer: 're: 0 of book', even: true },
        { n: 1, answer: 're: 1 of book', label: 'action_failed' },
        { n: 3, answer: 're: 3 of book', label: 'action_failed' },
        { n: 4, answer: 're: 4 of book', even: true },
      ],
    })
  })
})
