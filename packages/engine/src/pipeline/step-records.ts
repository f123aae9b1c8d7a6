import type { JsonObject, RecordedError, StewardError } from '@steward/contract'
import type { StepPath } from './step-path.ts'

/** A step that is about to run. */
export interface PipelineStepStart {
  path: StepPath
  /** The action's name, or `when …`, `parallel`, `each …`. */
  name: string
  input: JsonObject
  /** Whether the input is the output of the step before, so that a record need not repeat it. */
  isCarried: boolean
}

/** How a step ended; `output` beside an error is that of its `onError` steps. */
export type PipelineStepOutcome =
  | { output: JsonObject }
  /** A condition, or an action that dropped the item: its output is its input. */
  | { passed: boolean }
  | { error: StewardError; isHandled: boolean; output?: JsonObject }

export const statusOf = (outcome: PipelineStepOutcome): 'completed' | 'filtered' | 'failed' => {
  if ('error' in outcome) return 'failed'
  return 'passed' in outcome && !outcome.passed ? 'filtered' : 'completed'
}

/** What an earlier attempt of a run recorded of a step that has ended. */
export type RecalledStep =
  | { output: JsonObject }
  | { passed: boolean }
  /** It failed, and its `onError` steps have not ended. */
  | { handled: RecordedError }

/** The steps on record, by path; one with another name belongs to another definition. */
export type StepRecords = (path: StepPath, name: string) => RecalledStep | undefined

/** What is to be recorded of a step. */
export type StepChange =
  | { started: PipelineStepStart }
  | { ended: { path: StepPath; name: string }; outcome: PipelineStepOutcome }
  /** What a person should know about a step that is running. */
  | { noted: string; path: StepPath }

/** What somebody else has to do before a step goes on. */
export type StepWork =
  /** Perform an action once; `following` is the action after it, if that is known. */
  | {
      kind: 'action'
      path: StepPath
      action: string
      input: JsonObject
      following: string | undefined
    }
  /** Let time pass before the next attempt. */
  | { kind: 'wait'; path: StepPath; ms: number }

export type ActionResult = { output: JsonObject } | { thrown: unknown }

/** The end of a pipeline; `filtered` is the condition that was not met, or the action that said so. */
export type PipelineEnd = { output: JsonObject; filtered?: string }
