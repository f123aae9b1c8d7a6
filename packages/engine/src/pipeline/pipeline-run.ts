import { type JsonObject, type PipelineDefinition, StewardError } from '@steward/contract'
import { checkFields } from '../action/check-fields.ts'
import type { PipelineProgram } from './compile-pipeline.ts'
import type { Fork, Steps } from './fan-out.ts'
import type {
  ActionResult,
  PipelineEnd,
  StepChange,
  StepRecords,
  StepWork,
} from './step-records.ts'
import { walkSteps } from './walk-steps.ts'

/** What a run needs next: everything in `work` may be performed side by side. */
export interface PipelineDecision {
  /** Starts and ends of steps since the last decision, in order; to be kept before the work. */
  records: StepChange[]
  work: StepWork[]
  /** Set when nothing is left to do. */
  end?: PipelineEnd | { thrown: unknown }
}

/** A run of a pipeline as a pure state machine. The caller performs the work and reports each result. */
export interface PipelineRun {
  start: () => PipelineDecision
  next: (done: StepWork, result?: ActionResult) => PipelineDecision
}

/**
 * Runs the steps exactly once, first to last; each output is the next input. It never loops:
 * iteration belongs to the calling flow (spec 1 rule 4). Steps on record do not run again.
 */
export const createPipelineRun = (
  { steps }: Pick<PipelineProgram, 'steps'>,
  input: JsonObject,
  recorded: StepRecords,
): PipelineRun => {
  const waiting = new Map<StepWork, ListRun>()
  // A queue instead of calls: thousands of elements that are on record end without any work.
  const ready: { list: ListRun; result: ActionResult | undefined }[] = []
  let decision: PipelineDecision = { records: [], work: [] }

  const go = (list: ListRun, result?: ActionResult): void => void ready.push({ list, result })

  const enter = (join: Join): void => {
    const { done, value: list } = join.lists.next()
    if (done) return
    join.running++
    go({ steps: list, join })
  }

  const fork = (list: ListRun, { lists, lanes }: Fork): void => {
    const join: Join = { list, lists, running: 0 }
    for (let lane = 0; lane < lanes; lane++) enter(join)
    if (join.running === 0) go(list)
  }

  const leave = (join: Join): void => {
    join.running--
    enter(join)
    if (join.running === 0) go(join.list)
  }

  const advance = (list: ListRun, result: ActionResult | undefined): void => {
    const { done, value } = list.steps.next(result)
    if (done) {
      if (list.join === undefined) decision.end = value
      else leave(list.join)
    } else if (value.kind === 'fork') fork(list, value)
    else {
      decision.work.push(value)
      waiting.set(value, list)
    }
  }

  const decide = (list: ListRun, result?: ActionResult): PipelineDecision => {
    decision = { records: [], work: [] }
    try {
      advance(list, result)
      for (let turn = ready.shift(); turn !== undefined; turn = ready.shift()) {
        advance(turn.list, turn.result)
      }
    } catch (thrown) {
      decision.end = { thrown }
    }
    return decision
  }

  const root = walkSteps(steps, input, recorded, (record) => void decision.records.push(record))
  return {
    start: () => decide({ steps: root }),
    next: (done, result) => {
      const list = waiting.get(done)
      if (list === undefined) throw new Error(`step ${done.path} has no open work`)
      waiting.delete(done)
      return decide(list, result)
    },
  }
}

/** A list of steps between two decisions. */
interface ListRun {
  steps: Steps
  /** The step that it is a branch or an element of. */
  join?: Join
}

interface Join {
  list: ListRun
  lists: Fork['lists']
  running: number
}

/** The input of a pipeline with its defaults; throws if a required field is missing. */
export const readyInput = (
  { name, input: declared }: Pick<PipelineDefinition, 'name' | 'input'>,
  input: JsonObject,
): JsonObject => {
  if (declared === undefined) return input
  const { fields, mistakes } = checkFields(declared, input, 'input')
  const [first] = mistakes
  if (first === undefined) return fields
  throw new StewardError('invalid_input', {
    subject: name,
    reason: mistakes.map(({ reason }) => reason).join('; '),
    field: first.field,
  })
}
