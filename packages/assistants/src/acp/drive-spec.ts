import type { JsonObject } from '@steward/contract'

/** How the program is started that speaks the Agent Client Protocol for an assistant. */
export type DriveProgram =
  | {
      /** The assistant's own command. */
      kind: 'command'
      names: readonly string[]
      args: readonly string[]
    }
  | {
      /** A package that is installed into the data home, with consent, in exactly this version. */
      kind: 'adapter'
      package: string
      version: string
    }

/** How Steward drives one assistant. Adding an assistant is one such entry in its folder. */
export interface DriveSpec {
  /** Its name for people. */
  title: string
  program: DriveProgram
  /** How to install it, and how to sign in. */
  install: string
  signIn: string
  /** Whether it reports the cost of all turns of a session. Without it no budget can be kept. */
  reportsCost: boolean
  /** Where it keeps its login and records; it may change them in a sandbox too. */
  own?: (homedir: string, env: Readonly<Record<string, string | undefined>>) => string[]
  /** `_meta` of a session: options of its own, such as what the session may cost. */
  meta?: (limits: { budgetUsd?: number }) => JsonObject
}
