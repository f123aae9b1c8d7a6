import type { StewardEvent } from '@steward/contract'
import { actorOf, describeEvent } from '../events/describe-event.ts'
import type { EventRow } from '../events/join-events.ts'

/** A tool call as the timeline shows it. */
export interface ToolCall {
  key: string
  atMs: number
  tool: string
  /** One line: the command, the path, the pattern. */
  summary: string
  /** The input as far as the log has it. */
  input: string
  output: string
  error: string
  /** A change of a file, as a patch without positions. */
  diff: string
  durationMs: number | undefined
  failed: boolean
}

export const readCall = (row: EventRow): ToolCall => {
  const { key, atMs, durationMs, failed, events, event } = row
  const effect = fieldsOf(events.map(({ ground_truth }) => ground_truth).find(isFields))
  const diff = fieldsOf(effect.diff)
  const { error: _, ...asked } = event
  return {
    key,
    atMs,
    tool: actorOf(event),
    summary: textOf(effect.command) || textOf(effect.file_path) || describeEvent(asked),
    input: inputOf(event),
    output: [textOf(effect.stdout_preview), textOf(effect.stderr_preview)]
      .filter(Boolean)
      .join('\n'),
    error: events.map(({ error }) => textOf(error)).find(Boolean) ?? '',
    diff: [prefix('-', textOf(diff.removed)), prefix('+', textOf(diff.added))]
      .filter(Boolean)
      .join('\n'),
    durationMs,
    failed,
  }
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const prefix = (sign: string, text: string): string =>
  text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => `${sign}${line}`)
        .join('\n')

/** Complete JSON is easier to read over several lines; a preview may be cut anywhere. */
const inputOf = ({ tool_input_preview, tool_input }: StewardEvent): string => {
  if (tool_input !== undefined) return JSON.stringify(tool_input, null, 2)
  const preview = textOf(tool_input_preview)
  try {
    return JSON.stringify(JSON.parse(preview), null, 2)
  } catch {
    return preview
  }
}
