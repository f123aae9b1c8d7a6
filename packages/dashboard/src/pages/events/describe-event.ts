import type { StewardEvent } from '@steward/contract'

/** An event in one line. */
export const describeEvent = (event: StewardEvent): string => {
  const found = ABOUT.map((name) => event[name]).find(
    (value) => typeof value === 'string' && value !== '',
  )
  if (typeof found === 'string') return oneLine(firstValueOf(found) ?? found)
  const input = event.tool_input ?? event.input
  return input === undefined ? '' : oneLine(typeof input === 'string' ? input : summarise(input))
}

/** The actor: a tool, an agent, a voice. */
export const actorOf = (event: StewardEvent): string => {
  const { tool_name, tool, subagent_type } = event
  for (const name of [subagent_type, tool_name, tool]) {
    if (typeof name === 'string' && name !== '') return name
  }
  return TYPES[event.type] ?? inWords(event.type)
}

const TYPES: Readonly<Record<string, string>> = {
  user_prompt: 'Prompt',
  turn_end: 'Turn ended',
  voice_start: 'Speaking',
  voice_complete: 'Spoken',
  voice_failed: 'Not spoken',
  voice_skipped: 'Kept silent',
}

/** `session_end` in words. */
const inWords = (type: string): string => {
  const words = type.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Fields that describe what happened, most specific first. */
const ABOUT = [
  'error',
  'message',
  'description',
  'tool_input_preview',
  'summary',
  'message_preview',
  'prompt',
] as const

/** The first value of a tool's input is usually sufficient: a command, a path, a pattern. */
const summarise = (input: unknown): string => {
  if (typeof input !== 'object' || input === null) return String(input)
  const [first] = Object.values(input).filter((value) => typeof value === 'string')
  return first ?? JSON.stringify(input)
}

/** A preview is the beginning of the input as JSON and may be cut anywhere. */
const firstValueOf = (preview: string): string | undefined => {
  const [, text] = /^\{"\w+":"((?:[^"\\\p{Cc}]|\\["\\/bfnrt])+)/u.exec(preview) ?? []
  return text === undefined ? undefined : String(JSON.parse(`"${text}"`))
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 300)
