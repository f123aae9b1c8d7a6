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
  /**
   * The cost that it reports: of all turns of its session, or only of those since its process
   * started. Without one no budget can be kept.
   */
  cost: 'session' | 'process' | 'none'
  /** Lets the assistant itself end a turn that would exceed the budget; for `_meta` of a session. */
  budgetMeta?: (budgetUsd: number) => JsonObject
}
