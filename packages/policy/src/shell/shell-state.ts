import { MARK } from './marks.ts'
import type { Command, Script } from './syntax.ts'

/** A function's body, and the script that contains it. */
export interface ShellFunction {
  body: Command
  script: Script
}

/** The state of the shell at one point. Every list holds the possible alternatives. */
export interface ShellState {
  directories: string[]
  previous: string[]
  stack: string[][]
  variables: Map<string, string[]>
  functions: Map<string, ShellFunction>
  aliases: Map<string, string>
  /** `$1`…; undefined if they are unknown. */
  parameters: string[] | undefined
}

export const createState = (directory: string): ShellState => ({
  directories: [directory],
  previous: [MARK.unknown],
  stack: [],
  variables: new Map(),
  functions: new Map(),
  aliases: new Map(),
  parameters: undefined,
})

export const copyState = (state: ShellState): ShellState => ({
  ...state,
  stack: [...state.stack],
  variables: new Map(state.variables),
  functions: new Map(state.functions),
  aliases: new Map(state.aliases),
})

const MAX_ALTERNATIVES = 8

/** Merges the states of several branches: the values of each are possible. */
export const mergeInto = (state: ShellState, others: readonly ShellState[]): void => {
  for (const other of others) {
    state.directories = union(state.directories, other.directories)
    for (const name of new Set([...state.variables.keys(), ...other.variables.keys()])) {
      const mine = state.variables.get(name) ?? [MARK.unknown]
      state.variables.set(name, union(mine, other.variables.get(name) ?? [MARK.unknown]))
    }
    for (const [name, body] of other.functions) state.functions.set(name, body)
    for (const [name, text] of other.aliases) state.aliases.set(name, text)
  }
}

const union = (a: readonly string[], b: readonly string[]): string[] => {
  const all = [...new Set([...a, ...b])]
  return all.length > MAX_ALTERNATIVES ? [...all.slice(0, MAX_ALTERNATIVES - 1), MARK.unknown] : all
}
