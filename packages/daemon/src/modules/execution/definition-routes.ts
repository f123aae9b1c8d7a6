import {
  API,
  type FlowSchedule,
  flowEntry,
  flowSchedule,
  isJsonObject,
  parseName,
  pipelineDefinition,
  StewardError,
  triedFlow,
  unwrap,
} from '@steward/contract'
import { describeTiming } from '@steward/engine'
import {
  findMistake,
  findTemplate,
  listTemplates,
  nameOfTemplate,
  readDefinition,
  readFlowDraft,
  type StoredTemplate,
  saveDefinition,
  writeFlowFrom,
} from '@steward/runner'
import { z } from 'zod'
import { handle } from '../../module.ts'
import type { OpenRuntime } from './open-runtime.ts'

/** Reading, checking, saving and trying definitions, and flows out of templates. */
export const definitionRouteHandlers = (
  stewards: Pick<OpenRuntime, 'current' | 'use'>,
  /** After a definition changed. */
  onChanged: () => void,
) => [
  handle(API.getDefinition, async ({ params }) => {
    const definition = await readDefinition(stewards.current().catalog, params.name)
    return { ...definition, schema: schemaOf(definition.primitive) }
  }),
  handle(API.checkDefinition, ({ params, body }) => ({
    mistake: findMistake(stewards.current().catalog, params.name, body.text) ?? null,
  })),
  handle(API.saveDefinition, async ({ params, body }) => {
    const { home, catalog } = stewards.current()
    const { name } = params
    const { text } = await readDefinition(catalog, name)
    if (text !== body.before) {
      const reason = 'it was changed elsewhere since you opened it; reload to see both'
      throw new StewardError('invalid_input', { subject: name, reason })
    }
    await saveDefinition(home, catalog, name, body.text)
    onChanged()
    return { name }
  }),
  handle(API.tryFlow, ({ params, body }, { signal }) =>
    stewards.use(async ({ flows, catalog, redactor }) => {
      const { text, items: count } = body
      const draft = text === undefined ? undefined : readFlowDraft(catalog, params.flow, text)
      const tried = await flows.attempt(params.flow, { draft, count, signal })
      return triedFlow.parse(redactor.redact(tried).value)
    }),
  ),
  handle(API.listTemplates, async () => ({
    templates: (await listTemplates(stewards.current().builtIn)).map(describeTemplate),
  })),
  handle(API.createFromTemplate, async ({ params, body }) => {
    const { home, builtIn } = stewards.current()
    const template = await findTemplate(builtIn, params.name)
    const wanted = body.flow?.trim() || nameOfTemplate(template.name)
    const { name } = unwrap(parseName(wanted, 'flow'))
    await writeFlowFrom(home, template, name)
    onChanged()
    return { name }
  }),
]

const schemaOf = (primitive: 'flow' | 'pipeline'): Record<string, unknown> =>
  z.toJSONSchema(primitive === 'flow' ? flowEntry : pipelineDefinition, { io: 'input' })

const describeTemplate = ({ name, description, flow, pipeline }: StoredTemplate) => ({
  name,
  description,
  flow: nameOfTemplate(name),
  source: typesOf(flow, 'source'),
  destination: typesOf(flow, 'destination'),
  schedule: timingOf(flow.schedule),
  needsAssistant: pipeline?.includes('A_RUN_ASSISTANT') === true,
})

/** `rss`, or `rss, api` of several. */
const typesOf = (flow: StoredTemplate['flow'], end: 'source' | 'destination'): string => {
  const several = flow[`${end}s`]
  const ends: unknown[] = Array.isArray(several) ? several : [flow[end]]
  const types = ends.flatMap((each) => (isJsonObject(each) ? [String(each.type)] : []))
  return [...new Set(types)].join(', ')
}

const timingOf = (value: unknown): string => {
  const parsed = flowSchedule.safeParse(value)
  return parsed.success ? describeTiming(parsed.data satisfies FlowSchedule) : ''
}
