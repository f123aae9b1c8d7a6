import type { Judgement, ObservedEffectName } from '@steward/contract'

/** One thing that a tool call did. */
export interface CallEffect {
  kind: ObservedEffectName
  /** An absolute path, an address, or a name of what is meant. */
  target: string
  /** Everything below the path is meant too. */
  recursive: boolean
  /** The path is in the directory that the call was made in. */
  inside: boolean
}

/** What whoever knows tools and shells makes of a call. */
export interface CallReading {
  effects: CallEffect[]
  /** The program lines that a command runs, each as one text. */
  commands: string[]
  /** What the guards say of it. */
  guard: Judgement
  /** What in it tries to instruct its reader, if anything does. */
  injection?: string
}

/** A call as the audit log has it: previews, cut to a few hundred characters. */
export interface LoggedCall {
  tool: string
  input: Readonly<Record<string, unknown>>
  cwd: string
  /** All its text: input, output, content. */
  text: string
}

export type ReadCall = (call: LoggedCall) => CallReading

/** An effect, and whether it is on something that is made to be thrown away. */
export type ObservedEffect = CallEffect & { disposable: boolean }

/** A row of the audit log, ready to be judged. */
export interface Evidence {
  /** `r1`, `r2`…: its number in the session. Given by us, so that no text of the log can claim one. */
  id: string
  /** Epoch ms; absent when the row does not say. */
  at: number | undefined
  timestamp: string
  tool: string
  toolUseId?: string
  summary: string
  /** All that the log has of it. */
  detail: string
  effects: ObservedEffect[]
  guard: Judgement
  injection?: string
}
