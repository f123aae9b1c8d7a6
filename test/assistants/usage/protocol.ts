import type { ServerResponse } from 'node:http'
import { isJsonObject, type JsonObject } from '@steward/contract'

/** What the scripted model does next. */
export type Move =
  | { type: 'text'; text: string }
  | { type: 'tool'; name: string; input: Record<string, unknown>; namespace?: string }
  /** Begins an answer and never ends it, until the assistant is killed. */
  | { type: 'hang' }

/** A message of the person, or the result of a tool. */
export type Entry = { prompt: string } | { result: string }

/** One count a call, all different, so that a call that is missing or doubled cannot cancel out. */
export const usageOf = (call: number) => ({
  input: 100 + call,
  output: 20 + call,
  cacheRead: 1000 + call,
  cacheWrite: 50 + call,
})
type Usage = ReturnType<typeof usageOf>

interface Call {
  call: number
  model: string
  move: Move
  usage: Usage
}

/** The interface of one vendor. */
export interface Protocol {
  matches: (path: string) => boolean
  read: (
    body: JsonObject,
    path: string,
  ) => {
    model: string
    entries: Entry[]
    tools: string[]
  }
  /** Writes the answer; the tokens that this vendor bills. */
  speak: (outgoing: ServerResponse, call: Call) => Usage
}

export const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []

export const event = (outgoing: ServerResponse, data: JsonObject, name?: string): void => {
  outgoing.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
}

/** All texts in a part of a request. */
export const textIn = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textIn).join('\n')
  return isJsonObject(value) ? textIn(value.text ?? value.content ?? value.parts ?? '') : ''
}
