import {
  type AskedFor,
  type AskedQuestion,
  type AttentionRequest,
  type FormField,
  type HostEvent,
  isJsonObject,
  type JsonObject,
} from '@steward/contract'
import { firstTextOf, nestedOf, textOf } from './fields.ts'

/** What an assistant asks its person, in words and as the answers that it accepts. */
export interface DescribedRequest {
  reason: AttentionRequest['reason']
  detail: string
  asked: AskedFor
}

const NOTHING: AskedFor = { decides: false, questions: [], fields: [], takesText: false }

/** The request of an event that asks the person; undefined for other events. */
export const describeRequest = (event: HostEvent): DescribedRequest | undefined => {
  const { hook_event_name: name, tool_name: tool, tool_input: input = {} } = event
  if (name === 'Elicitation') return describeForm(event)
  if (name !== 'PermissionRequest') return undefined
  if (tool === 'AskUserQuestion') {
    const questions = readQuestions(input.questions)
    const detail = questions.map(({ question }) => question).join('\n')
    if (questions.length > 0)
      return { reason: 'question', detail, asked: { ...NOTHING, questions } }
  }
  if (tool === 'ExitPlanMode') {
    const detail = textOf(input, 'plan') ?? 'a plan'
    return { reason: 'plan', detail, asked: { ...NOTHING, decides: true } }
  }
  const always = describeAlways(event.permission_suggestions ?? event.always)
  const what = firstTextOf(input, 'command', 'file_path', 'url', 'query', 'path', 'pattern')
  const rest = what ?? (Object.keys(input).length === 0 ? '' : JSON.stringify(input))
  return {
    reason: 'permission',
    detail: [tool ?? 'a tool', rest].filter(Boolean).join(': '),
    asked: { ...NOTHING, decides: true, ...(always === undefined ? {} : { always }) },
  }
}

export const readQuestions = (value: unknown): AskedQuestion[] =>
  (Array.isArray(value) ? value : []).filter(isJsonObject).flatMap((one) => {
    const question = textOf(one, 'question')
    if (question === undefined) return []
    const header = textOf(one, 'header')
    const options = (Array.isArray(one.options) ? one.options : [])
      .filter(isJsonObject)
      .flatMap((option) => {
        const label = textOf(option, 'label')
        const description = textOf(option, 'description')
        return label === undefined ? [] : [{ label, ...(description ? { description } : {}) }]
      })
    const multiple = one.multiSelect === true || one.multiple === true
    return [{ question, ...(header ? { header } : {}), options, multiple }]
  })

/** Claude Code's suggestions, or the patterns that OpenCode would allow. */
const describeAlways = (suggestions: unknown): string | undefined => {
  const said = (Array.isArray(suggestions) ? suggestions : []).flatMap((one: unknown) => {
    if (typeof one === 'string') return [one]
    return isJsonObject(one) ? [describeSuggestion(one)] : []
  })
  return said.length === 0 ? undefined : said.join('; ')
}

const describeSuggestion = (one: JsonObject): string => {
  const rules = (Array.isArray(one.rules) ? one.rules : [])
    .filter(isJsonObject)
    .map((rule) => `${textOf(rule, 'toolName') ?? ''}(${textOf(rule, 'ruleContent') ?? '*'})`)
  const folders = Array.isArray(one.directories) ? one.directories.map(String) : []
  const what = [...rules, ...folders, textOf(one, 'mode') ?? ''].filter(Boolean).join(', ')
  const where = textOf(one, 'destination')
  return `${textOf(one, 'type') ?? 'change'} ${what}${where ? ` (${where})` : ''}`
}

const TYPES: Readonly<Record<string, FormField['type']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
}

/** A form of an MCP server; undefined if it has parts that cannot be filled in here. */
const describeForm = (event: HostEvent): DescribedRequest | undefined => {
  const schema = nestedOf(event.raw, 'requested_schema')
  const required = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(nestedOf(schema, 'properties')).map(([name, given]) => {
    const field = isJsonObject(given) ? given : {}
    const type = TYPES[textOf(field, 'type') ?? '']
    if (type === undefined) return undefined
    const title = firstTextOf(field, 'title', 'description')
    const options = Array.isArray(field.enum) ? field.enum.map(String) : undefined
    return {
      name,
      type,
      required: required.includes(name),
      ...(title ? { title } : {}),
      ...(options ? { options } : {}),
    }
  })
  const known = fields.filter((field) => field !== undefined)
  if (known.length === 0 || known.length < fields.length) return undefined
  const server = textOf(event.raw, 'mcp_server_name')
  const detail = [server, textOf(event.raw, 'message')].filter(Boolean).join(': ')
  return { reason: 'form', detail, asked: { ...NOTHING, fields: known } }
}
