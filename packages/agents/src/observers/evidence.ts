import type { Judgement, ObservedEffectName } from '@steward/contract'

/** One effect of a tool call. */
export interface CallEffect {
  kind: ObservedEffectName
  /** An absolute path, an address, or a name. */
  target: string
  /** Includes everything below the path. */
  recursive: boolean
  /** The path is inside the call's working directory. */
  inside: boolean
  /** The other machine that the path is on; `target` begins with it. */
  machine?: string
}

/** A call as parsed by the module that knows tools and shells. */
export interface CallReading {
  effects: CallEffect[]
  /** The command lines that a command runs, each as one text. */
  commands: string[]
  /** The guards' judgement of it. */
  guard: Judgement
  /** A prompt injection found in it, if any. */
  injection?: string
}

/** A call as stored in the audit log: previews, cut to a few hundred characters. */
export interface LoggedCall {
  tool: string
  input: Readonly<Record<string, unknown>>
  cwd: string
  /** All its text: input, output, content. */
  text: string
}

export type ReadCall = (call: LoggedCall) => CallReading

/** An effect, and whether its target is disposable. */
export type ObservedEffect = CallEffect & { disposable: boolean }

/** A row of the audit log, prepared for judging. */
export interface Evidence {
  /**
   * `r1`, `r2`…: its number in the session. Assigned by us, so that no text of the log can forge
   * one.
   */
  id: string
  /** Epoch ms; absent if the row has none. */
  at: number | undefined
  timestamp: string
  tool: string
  toolUseId?: string
  summary: string
  /** Everything the log has about it. */
  detail: string
  effects: ObservedEffect[]
  guard: Judgement
  /** The command that changes a service. */
  serviceChange?: string
  injection?: string
}
