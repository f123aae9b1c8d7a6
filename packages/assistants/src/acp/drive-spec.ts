import type { JsonObject } from '@steward/contract'
import type { PlanStep } from './read-update.ts'

/** How to start the program that offers the Agent Client Protocol for an assistant. */
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

/** Where an assistant keeps its files. */
export interface DrivePlace {
  homedir: string
  env: Readonly<Record<string, string | undefined>>
}

/** How Steward drives one assistant. Adding an assistant is one such entry in its folder. */
export interface DriveSpec {
  /** Its name for people. */
  title: string
  program: DriveProgram
  /** How to install it, and how to sign in. */
  install: string
  signIn: string
  /** Its modes; a session is started in the first one. `npm run try:drive` checks them. */
  modes: readonly string[]
  /** Whether it reports its plan. `npm run try:drive` checks it. */
  reportsPlan: boolean
  /** Whether it reports the cost of all turns of a session. Without it no budget can be kept. */
  reportsCost: boolean
  /** The plan in the input of one of its tools, if it reports none itself. */
  planIn?: (tool: { title?: string; input?: unknown }) => PlanStep[] | undefined
  /** The mode of sessions that name none, where its own default would not ask the person. */
  defaultMode?: string
  /** Where it keeps its login and records; it may change them in a sandbox too. */
  own?: (homedir: string, env: DrivePlace['env']) => string[]
  /** It forgets a turn that is cancelled, so it is killed instead. */
  cancelLosesTurn?: boolean
  /** It sends parts of its history after it has answered that a session is loaded. */
  replaysLate?: boolean
  /** Runs before its program is started to resume a session. */
  beforeResume?: (session: string, place: DrivePlace) => void
  /** `_meta` of a session: options of its own, such as what the session may cost. */
  meta?: (limits: { budgetUsd?: number }) => JsonObject
}
