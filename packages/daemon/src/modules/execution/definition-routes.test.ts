import { join } from 'node:path'
import { API, definitionView, type Route, templateView, triedFlow } from '@steward/contract'
import { createTemporaryHome, type TemporaryHome } from '@steward/platform/testing'
import { type LocalRuntime, openLocalRuntime } from '@steward/runner'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { definitionRouteHandlers } from './definition-routes.ts'

const LIBRARY = join(import.meta.dirname, '../../../../../library')

let home: TemporaryHome
let runtime: LocalRuntime
let changes: number

beforeEach(async () => {
  home = createTemporaryHome()
  changes = 0
  home.action('A_SHOUT_TITLE', 'return { shout: String(input.title).toUpperCase() }')
  home.action('A_ADD_BODY', 'return { body: `## ${input.shout}` }')
  home.pipeline('P_SHOUT', ['A_SHOUT_TITLE', 'A_ADD_BODY'])
  home.write('USER/FLOWS/tides/low.txt', 'low tide at noon')
  home.write('USER/FLOWS/tides/high.txt', 'high tide at six')
  const flow = {
    id: 'flow-tides',
    name: 'F_TIDES',
    source: { type: 'file', path: 'tides', format: 'text' },
    pipeline: 'P_SHOUT',
    destination: { type: 'file', path: 'tides.md', format: 'markdown' },
    schedule: { every: '1h', runsOn: 'here', enabled: true },
  }
  home.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows: [flow] }))
  runtime = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline' },
    homedir: home.path,
    builtIn: LIBRARY,
  })
})

afterEach(async () => {
  await runtime.close()
  home.remove()
})

const call = async (
  route: Route,
  input: { params?: unknown; body?: unknown },
): Promise<unknown> => {
  const stewards = {
    current: () => runtime,
    use: <T>(work: (steward: LocalRuntime) => Promise<T>) => work(runtime),
  }
  const handlers = definitionRouteHandlers(stewards, () => {
    changes += 1
  })
  const found = handlers.find((handler) => handler.route === route)
  const body = route.body instanceof z.ZodType ? route.body.parse(input.body) : undefined
  const { signal } = new AbortController()
  const given = { params: input.params ?? {}, query: {}, body }
  return found?.answer(given, { signal, header: () => undefined })
}
const read = async (name: string) =>
  definitionView.parse(await call(API.getDefinition, { params: { name } }))
const check = (name: string, text: string) =>
  call(API.checkDefinition, { params: { name }, body: { text } })

it('reads, checks and saves a flow; a change by others is refused', async () => {
  const params = { name: 'F_TIDES' }
  const { text, schema, origin } = await read('F_TIDES')
  expect(origin).toBe('user')
  expect(Object.keys(Object(schema.properties))).toContain('schedule')
  expect(await check('F_TIDES', text)).toEqual({ mistake: null })
  expect(await check('F_TIDES', text.replace('P_SHOUT', 'P_SHOUTS'))).toEqual({
    mistake: expect.stringMatching(/P_SHOUTS does not exist.*P_SHOUT/),
  })
  expect(await check('F_TIDES', text.replace('"1h"', '"often"'))).toEqual({
    mistake: expect.stringMatching(/^line \d+: schedule/),
  })
  expect(await check('F_TIDES', '{ "id": ')).toEqual({ mistake: expect.any(String) })
  expect(await check('F_TIDES', text.replace('F_TIDES', 'F_OTHER'))).toEqual({
    mistake: 'name: must stay F_TIDES',
  })
  const slower = text.replace('"1h"', '"6h"')
  await call(API.saveDefinition, { params, body: { text: slower, before: text } })
  expect(runtime.catalog.flows.load('F_TIDES').flow.schedule).toMatchObject({ every: '6h' })
  expect(changes).toBe(1)
  await expect(call(API.saveDefinition, { params, body: { text, before: text } })).rejects.toThrow(
    'changed elsewhere',
  )
})

it('reads, checks and saves a pipeline', async () => {
  const { text, language } = await read('P_SHOUT')
  expect(language).toBe('yaml')
  expect(await check('P_SHOUT', text.replace('A_ADD_BODY', 'A_ADD_BODIES'))).toEqual({
    mistake: expect.stringMatching(/line \d+.*A_ADD_BODIES does not exist/),
  })
  const params = { name: 'P_SHOUT' }
  const described = text.replace(/description: .*/, 'description: Shouts twice.')
  await call(API.saveDefinition, { params, body: { text: described, before: text } })
  expect(runtime.catalog.pipelines.load('P_SHOUT').definition.description).toBe('Shouts twice.')
})

it('tries a draft on real items, delivers nothing and remembers nothing', async () => {
  const params = { flow: 'F_TIDES' }
  const { text } = await read('F_TIDES')
  const draft = text.replace('"pipeline"', '"filter": "content.contains(\'noon\')",\n  "pipeline"')
  const tried = triedFlow.parse(
    await call(API.tryFlow, { params, body: { text: draft, items: 5 } }),
  )
  expect(tried.found).toBe(2)
  expect(tried.items.map(({ outcome }) => outcome).toSorted()).toEqual(['filtered', 'ready'])
  const ready = tried.items.find(({ outcome }) => outcome === 'ready')
  expect(ready?.output?.body).toBe('## LOW')
  expect(ready?.runs).toHaveLength(1)
  expect(await runtime.flows.items('F_TIDES', { limit: 10 })).toEqual([])
  const { summary } = await runtime.flows.trigger('F_TIDES')
  expect(summary.items.delivered).toBe(2)
})

it('creates a flow from a template', async () => {
  const { templates } = z
    .object({ templates: z.array(templateView) })
    .parse(await call(API.listTemplates, {}))
  expect(templates.map(({ name }) => name)).toContain('morning-paper')
  const params = { name: 'morning-paper' }
  expect(await call(API.createFromTemplate, { params, body: {} })).toEqual({
    name: 'F_MORNING_PAPER',
  })
  expect(runtime.catalog.flows.load('F_MORNING_PAPER').origin).toBe('user')
  await expect(call(API.createFromTemplate, { params, body: {} })).rejects.toThrow('already')
})
