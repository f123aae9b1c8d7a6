import type { PathAccess, Verdict } from '@steward/contract'

/**
 * One thing that a command would do. `path` is absolute and may hold marks (marks.ts). `part` is the
 * piece of the command line that does it, `unit` the rendered piece that patterns are matched on.
 */
export type Effect = { part: string; unit: number } & (
  | { kind: 'run'; program: string; argv: string[] }
  | {
      kind: PathAccess
      path: string
      /** Everything below is meant too. */
      recursive: boolean
      /** A word that may be a path, given to a program whose arguments we do not know. */
      mention: boolean
      /** Only makes a new file or directory where there is none. */
      gentle: boolean
      /** Looks at names, sizes and dates, not at what is in the files. */
      names?: boolean
      /** What the file held before is lost. */
      replaces?: boolean
      /** Changes rights alone: `private` leaves them to the owner, `closed` lets nobody else write. */
      rights?: 'private' | 'closed'
    }
  | { kind: 'network'; program: string; target: string; sends: boolean }
  | { kind: 'privilege'; program: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'unresolved'; what: string }
  /** Something that is judged by itself, whatever the policy file says. */
  | { kind: 'hazard'; rule: string; verdict: Exclude<Verdict, 'pass'>; reason: string }
)

export type EffectKind = Effect['kind']

/** A piece of a command line as text. Ranges are judged elsewhere or are data: a match inside one alone does not count. */
export interface Unit {
  texts: { text: string; inert: { start: number; end: number }[] }[]
  part: string
}

export interface ShellReading {
  effects: Effect[]
  units: Unit[]
  /** Why the text could not be read as a shell would, if so. */
  problem?: string
}
