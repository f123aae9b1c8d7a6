import { z } from 'zod'
import { fields } from '../json.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const name = z.object({ name: z.string().min(1).max(200) })
const text = z.string().max(200_000)

/** A flow or pipeline as text, with the JSON Schema of its fields. */
export const definitionView = z.object({
  name: z.string(),
  primitive: z.enum(['flow', 'pipeline']),
  language: z.enum(['json', 'yaml']),
  /** A built-in one is overridden by saving it. */
  origin: z.enum(['user', 'built-in']),
  text: z.string(),
  /** A JSON Schema. */
  schema: fields,
})
export type DefinitionView = z.infer<typeof definitionView>

/** What a flow would do with one item. */
export const triedItem = z.object({
  id: z.string(),
  title: z.string().nullable(),
  /** The item as the source gave it. */
  payload: fields,
  outcome: z.enum(['ready', 'filtered', 'failed']),
  /** What would be delivered. */
  output: fields.nullable(),
  /** Why it is filtered or failed. */
  reason: z.string().nullable(),
  /** Runs of the pipeline, in the history. */
  runs: z.array(z.string()),
})
export type TriedItem = z.infer<typeof triedItem>

/** The result of a dry run. */
export const triedFlow = z.object({
  /** How many items the sources have now. */
  found: z.int().nonnegative(),
  items: z.array(triedItem),
  /** Sources that could not be read. */
  errors: z.array(z.string()),
})
export type TriedFlow = z.infer<typeof triedFlow>

export const templateView = z.object({
  name: z.string(),
  description: z.string(),
  /** The flow that it becomes unless another name is given. */
  flow: z.string(),
  source: z.string(),
  destination: z.string(),
  schedule: z.string(),
  /** It runs a coding assistant. */
  needsAssistant: z.boolean(),
})
export type TemplateView = z.infer<typeof templateView>

/** The longest list of items that a dry run works on; each may cost a model call. */
const MOST_TRIED = 5

export const definitionRoutes = {
  getDefinition: defineRoute({
    method: 'GET',
    path: '/api/definitions/:name',
    summary: 'The text of a flow or pipeline, and the JSON Schema of its fields.',
    access: 'token',
    why: 'The entry of a flow may contain headers with secrets.',
    params: name,
    answer: definitionView,
    errors: ['not_found', 'invalid_input', 'invalid_definition'],
  }),
  checkDefinition: defineRoute({
    method: 'POST',
    path: '/api/definitions/:name/check',
    summary: 'The mistakes in a draft of a flow or pipeline; null if there are none.',
    access: 'local',
    why: 'It reads a text and changes nothing.',
    params: name,
    body: z.strictObject({ text }),
    answer: z.object({ mistake: z.string().nullable() }),
  }),
  saveDefinition: defineRoute({
    method: 'PUT',
    path: '/api/definitions/:name',
    summary: 'Saves a flow or pipeline in your own folder; a built-in one is overridden there.',
    access: 'token',
    why: 'It changes what runs on this machine.',
    params: name,
    body: z.strictObject({
      text,
      /** The text that was edited; refused if someone else changed it since. */
      before: text,
    }),
    answer: z.object({ name: z.string() }),
    errors: ['not_found', 'invalid_input', 'invalid_definition', 'run_conflict'],
    perMinute: 60,
  }),
  tryFlow: defineRoute({
    method: 'POST',
    path: '/api/flows/:flow/try',
    summary:
      'A dry run: reads the sources and runs the pipeline for the first items. Delivers nothing, and the flow remembers none of it.',
    access: 'token',
    why: 'It runs the pipeline, which can spend money.',
    params: z.object({ flow: z.string().min(1) }),
    body: z.strictObject({
      /** A draft in place of the saved definition. */
      text: text.optional(),
      items: z.int().min(1).max(MOST_TRIED).default(2),
    }),
    answer: triedFlow,
    errors: ['not_found', 'invalid_input', 'invalid_definition', 'upstream_failed'],
    perMinute: 30,
  }),
  listTemplates: defineRoute({
    method: 'GET',
    path: '/api/templates',
    summary: 'Flows that come with Steward as templates.',
    access: 'local',
    why: READ,
    answer: z.object({ templates: z.array(templateView) }),
  }),
  createFromTemplate: defineRoute({
    method: 'POST',
    path: '/api/templates/:name',
    summary: 'Creates a flow from a template, with its pipeline and sample data.',
    access: 'token',
    why: 'It adds a flow that may run by itself.',
    params: name,
    body: z.strictObject({ flow: z.string().max(200).optional() }),
    answer: z.object({ name: z.string() }),
    status: 201,
    errors: ['not_found', 'invalid_input', 'invalid_definition', 'invalid_name'],
    perMinute: 60,
  }),
}
