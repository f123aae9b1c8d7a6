import type { Effect } from './effects.ts'
import type { ShellState } from './shell-state.ts'

type Bare<T> = T extends unknown ? Omit<T, 'part' | 'unit' | 'machine'> : never

/** The shell functions that a program may call. */
export interface Shell {
  home: string
  emit: (effect: Bare<Effect>) => void
  /** Takes paths as given to the program. */
  read: (
    path: string,
    options?: { recursive?: boolean; mention?: boolean; names?: boolean },
  ) => void
  write: (
    path: string,
    options?: {
      recursive?: boolean
      gentle?: boolean
      replaces?: boolean
      rights?: 'private' | 'closed'
    },
  ) => void
  remove: (path: string, options?: { recursive?: boolean; gentle?: boolean }) => void
  /** Runs another program and returns its output. */
  run: (argv: readonly string[], stdin: string, state: ShellState) => string
  /** Runs a text as a shell script. */
  runText: (text: string, stdin: string, state: ShellState, parameters?: string[]) => string
  /** What `run` does happens on another machine. */
  onMachine: (machine: string, run: () => string) => string
  /** Runs the commands in a name that the shell evaluates: `a[$(…)]`. */
  evaluate: (text: string) => void
  /** Matches the patterns on a text that a program interprets as commands, such as SQL. */
  judge: (text: string) => void
  /** The text that earlier parts of the command wrote to a file. */
  contentOf: (path: string) => string | undefined
  remember: (path: string, content: string) => void
}

/** One run of a program. */
export interface Call {
  name: string
  args: readonly string[]
  /** Standard input; empty if there is none. */
  stdin: string
  state: ShellState
  shell: Shell
}

/** Records the effects of a program and returns its output. */
export type Program = (call: Call) => string

export interface Arguments {
  flags: Set<string>
  values: Map<string, string[]>
  operands: string[]
}

/**
 * Splits arguments into flags, options with values and operands, the way getopt does. `valued` names
 * the options that take a value: single letters and whole words.
 */
export const readArguments = (
  args: readonly string[],
  valued: readonly string[] = [],
): Arguments => {
  const read: Arguments = { flags: new Set(), values: new Map(), operands: [] }
  const add = (name: string, value: string): void => {
    read.flags.add(name)
    read.values.set(name, [...(read.values.get(name) ?? []), value])
  }
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') {
      read.operands.push(...args.slice(at + 1))
      break
    }
    if (arg === '-' || !arg.startsWith('-')) read.operands.push(arg)
    else if (arg.startsWith('--')) {
      const [name = '', ...rest] = arg.slice(2).split('=')
      if (rest.length > 0) add(name, rest.join('='))
      else if (valued.includes(name)) add(name, args[++at] ?? '')
      else read.flags.add(name)
    } else if (arg.length > 2 && valued.includes(arg.slice(1))) add(arg.slice(1), args[++at] ?? '')
    else {
      const letters = [...arg.slice(1)]
      for (let n = 0; n < letters.length; n += 1) {
        const letter = letters[n] ?? ''
        if (!valued.includes(letter)) {
          read.flags.add(letter)
          continue
        }
        const rest = letters.slice(n + 1).join('')
        add(letter, rest === '' ? (args[++at] ?? '') : rest)
        break
      }
    }
  }
  return read
}

/** The values of an option in any form: `--x v`, `--x=v`, `-x v`, `-xv`. */
export const valuesGiven = (args: readonly string[], options: readonly string[]): string[] =>
  args.flatMap((arg, n) =>
    options.flatMap((option) => {
      if (arg === option) return args[n + 1] ?? []
      if (arg.startsWith(`${option}=`)) return arg.slice(option.length + 1)
      const isLetter = option.length === 2 && arg.length > 2 && arg.startsWith(option)
      return isLetter ? arg.slice(2) : []
    }),
  )

/** The values of any of these options. */
export const valuesOf = (read: Arguments, ...names: string[]): string[] =>
  names.flatMap((name) => read.values.get(name) ?? [])

export const hasFlag = (read: Arguments, ...names: string[]): boolean =>
  names.some((name) => read.flags.has(name))
