import type { StewardEvent } from '@steward/contract'

/** A part of a call that people read. */
export interface EventPart {
  title: string
  text: string
  isBad: boolean
}

/** Fields in the order of reading; the first that an event has stands for its part. */
const PARTS = [
  { title: 'Error', names: ['error'], isBad: true },
  { title: 'Prompt', names: ['prompt'], isBad: false },
  { title: 'Message', names: ['message', 'message_preview', 'summary'], isBad: false },
  { title: 'Input', names: ['tool_input', 'input', 'tool_input_preview'], isBad: false },
  { title: 'Output', names: ['tool_response', 'output', 'tool_response_preview'], isBad: false },
  { title: 'Folder', names: ['cwd'], isBad: false },
] as const

/** Input, output, error and the like of a call, from all of its events. */
export const readParts = (events: readonly StewardEvent[]): EventPart[] =>
  PARTS.flatMap(({ title, names, isBad }) => {
    for (const name of names) {
      const value = events.map((event) => event[name]).findLast(isPresent)
      if (value !== undefined) return [{ title, text: toText(value), isBad }]
    }
    return []
  })

const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && JSON.stringify(value) !== '{}'

/** The only text of an object is shown as it is: a command, a path. */
const toText = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null) {
    const values: unknown[] = Object.values(value)
    const [only] = values
    if (values.length === 1 && typeof only === 'string') return only
  }
  return JSON.stringify(value, null, 2)
}
