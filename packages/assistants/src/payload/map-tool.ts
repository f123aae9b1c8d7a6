import type { JsonObject } from '@steward/contract'

/** Claude Code's names for an assistant's tool and its input fields. */
interface ToolWord {
  name: string
  /** Canonical field by the assistant's field. */
  fields?: Readonly<Record<string, string>>
}

export type ToolWords = Readonly<Record<string, ToolWord>>

export interface MappedTool {
  tool_name: string | undefined
  host_tool: string | undefined
  tool_input: JsonObject | undefined
}

/** Guards and logs use one name per tool; an unknown tool keeps its own. */
export const mapTool = (
  words: ToolWords,
  name: string | undefined,
  input: JsonObject | undefined,
): MappedTool => {
  const word = name !== undefined && Object.hasOwn(words, name) ? words[name] : undefined
  if (word === undefined) return { tool_name: name, host_tool: undefined, tool_input: input }
  return {
    tool_name: word.name,
    host_tool: word.name === name ? undefined : name,
    tool_input: input === undefined ? undefined : renameFields(input, word.fields ?? {}),
  }
}

const renameFields = (input: JsonObject, names: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      const name = Object.hasOwn(names, key) ? names[key] : undefined
      return [name === undefined || Object.hasOwn(input, name) ? key : name, value]
    }),
  )
