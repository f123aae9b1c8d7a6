import type { PathAccess, Verdict } from '@steward/contract'

/**
 * One effect that a command would have. `path` is absolute and may contain marks (marks.ts). `part`
 * is the piece of the command line that causes it, `unit` the index of the rendered piece that
 * patterns are matched on.
 */
export type Effect = {
  part: string
  unit: number
  /** The other machine that it happens on: `web1` of `ssh web1 …`. */
  machine?: string
} & (
  | { kind: 'run'; program: string; argv: string[] }
  | {
      kind: PathAccess
      path: string
      /** Includes everything below the path. */
      recursive: boolean
      /** A word that may be a path, passed to a program whose arguments are unknown. */
      mention: boolean
      /** Only creates a new file or directory. */
      gentle: boolean
      /** Reads names, sizes and dates, not file contents. */
      names?: boolean
      /** The previous content of the file is lost. */
      replaces?: boolean
      /**
       * Changes permissions only: `private` leaves them to the owner, `closed` removes write access
       * for others.
       */
      rights?: 'private' | 'closed'
    }
  | { kind: 'network'; program: string; target: string; sends: boolean }
  | { kind: 'privilege'; program: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'unresolved'; what: string }
  /** A hazard that has a fixed verdict, regardless of the policy file. */
  | { kind: 'hazard'; rule: string; verdict: Exclude<Verdict, 'pass'>; reason: string }
)

export type EffectKind = Effect['kind']

/**
 * A piece of a command line as text. `inert` ranges are data or are judged separately: a match
 * inside one of them alone does not count.
 */
export interface Unit {
  texts: { text: string; inert: { start: number; end: number }[] }[]
  part: string
}

export interface ShellReading {
  effects: Effect[]
  units: Unit[]
  /** The reason why the text could not be parsed as shell, if it could not. */
  problem?: string
}
