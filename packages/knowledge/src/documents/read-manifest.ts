import {
  actionsIn,
  isJsonObject,
  parseJson,
  pipelineDefinition,
  StewardError,
} from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { z } from 'zod'
import type { Draft, ReadDrafts } from './wiki-source.ts'

const word = z.string().trim().min(1)
const manifest = z.looseObject({
  name: word,
  description: z.string().default(''),
  tags: z.array(z.string()).default([]),
})
const action = manifest.extend({
  input: z.unknown(),
  output: z.unknown(),
  requires: z.array(z.string()).default([]),
  secrets: z.array(z.union([z.string(), z.looseObject({ name: z.string() })])).default([]),
})
const pipeline = manifest.extend({ actions: pipelineDefinition.shape.actions })
const flow = manifest.extend({
  pipeline: z.string().optional(),
  source: z.looseObject({ type: z.string() }).optional(),
  destination: z.looseObject({ type: z.string() }).optional(),
  schedule: z.looseObject({ intervalMinutes: z.number().optional() }).optional(),
})
const flows = z.looseObject({ flows: z.array(flow) })

/** `action.json`: inputs, outputs and requirements of an action. */
export const readAction: ReadDrafts = (text, relative) => {
  const { name, description, tags, input, output, requires, secrets } = parse(
    action,
    text,
    relative,
  )
  return [
    draft(name, description, tags, [
      ...listFields('Input', input),
      ...listFields('Output', output),
      ...listWords('Capabilities', requires),
      ...listWords(
        'Secrets',
        secrets.map((secret) => (typeof secret === 'string' ? secret : secret.name)),
      ),
    ]),
  ]
}

/** `P_NAME.yaml`: its actions in order, as links. */
export const readPipeline: ReadDrafts = (text, relative) => {
  const document = parseYamlDocument(text, { logLevel: 'silent' })
  const [error] = document.errors
  if (error !== undefined) throw unreadable(relative, error.message)
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  const { name, description, tags, actions } = check(pipeline, value, relative)
  const steps = actionsIn(actions).map((each, at) => `${at + 1}. [[${each}]]`)
  return [draft(name, description, tags, ['## Actions', '', ...steps])]
}

/** `flow-index.json`: each flow is a document. */
export const readFlows: ReadDrafts = (text, relative) =>
  parse(flows, text, relative).flows.map((each) =>
    draft(each.name, each.description, each.tags, [
      ...(each.source === undefined ? [] : [`From: ${each.source.type}`, '']),
      ...(each.pipeline === undefined ? [] : [`Through: [[${each.pipeline}]]`, '']),
      ...(each.destination === undefined ? [] : [`To: ${each.destination.type}`, '']),
      ...(each.schedule?.intervalMinutes === undefined
        ? []
        : [`Every ${each.schedule.intervalMinutes} minutes`, '']),
    ]),
  )

const draft = (
  name: string,
  description: string,
  tags: readonly string[],
  lines: readonly string[],
): Draft => ({
  path: name,
  title: name,
  summary: description,
  tags,
  related: [],
  markdown: [`# ${name}`, '', description, '', ...lines].join('\n'),
})

const listFields = (heading: string, value: unknown): string[] => {
  const fields = isJsonObject(value) && isJsonObject(value.properties) ? value.properties : value
  if (!isJsonObject(fields)) return []
  const rows = Object.entries(fields).map(([name, spec]) => {
    const { type, description, required } = isJsonObject(spec) ? spec : {}
    const about = typeof description === 'string' ? `: ${description}` : ''
    return `- \`${name}\` (${[type, required === true ? 'required' : ''].filter(Boolean).join(', ')})${about}`
  })
  return rows.length === 0 ? [] : [`## ${heading}`, '', ...rows, '']
}

const listWords = (heading: string, words: readonly string[]): string[] =>
  words.length === 0 ? [] : [`## ${heading}`, '', ...words.map((each) => `- ${each}`), '']

const parse = <T extends z.ZodType>(shape: T, text: string, relative: string): z.output<T> => {
  const parsed = parseJson(text, relative)
  if (!parsed.ok) throw unreadable(relative, parsed.error.message)
  return check(shape, parsed.value, relative)
}

const check = <T extends z.ZodType>(shape: T, value: unknown, relative: string): z.output<T> => {
  const checked = shape.safeParse(value)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  throw unreadable(relative, `${issue?.path.join('.')}: ${issue?.message}`)
}

const unreadable = (subject: string, reason: string): StewardError =>
  new StewardError('rejected_content', { subject, reason })
