import { type JsonObject, type PipelineStep, StewardError } from '@steward/contract'
import { recordError } from '../../flow/record-error.ts'
import { compilePipeline } from '../compile-pipeline.ts'
import { createPipelineRun } from '../pipeline-run.ts'
import { sortByPath } from '../step-path.ts'
import {
  type ActionResult,
  type PipelineEnd,
  type PipelineStepOutcome,
  type RecalledStep,
  type StepChange,
  type StepRecords,
  type StepWork,
  statusOf,
} from '../step-records.ts'

export type TestActions = Record<string, (input: JsonObject) => JsonObject | Promise<JsonObject>>

export interface MemoryRecord {
  path: string
  name: string
  status: 'started' | 'completed' | 'filtered' | 'failed'
  outcome?: PipelineStepOutcome
}

/** Thrown where a test ends the process. */
export class Killed extends Error {}

/** A pipeline's host with its record in memory; the record survives, as a database would. */
export const createMemoryHost = (actions: TestActions, onRecord: () => void = () => undefined) => {
  const records = new Map<string, MemoryRecord>()
  const performed: { path: string; action: string; input: JsonObject }[] = []
  const waits: number[] = []
  const notes: string[] = []
  let isKilled = false
  const write = (record: MemoryRecord): void => {
    if (isKilled) throw new Killed()
    try {
      onRecord()
    } catch (thrown) {
      isKilled = true
      throw thrown
    }
    records.set(record.path, record)
  }
  const recorded: StepRecords = (path, name) => {
    const found = records.get(path)
    return found?.name === name ? recalled(found.outcome) : undefined
  }
  const keep = (record: StepChange): void => {
    if ('started' in record) {
      const { path, name } = record.started
      write({ path, name, status: 'started' })
    } else if ('noted' in record) notes.push(`${record.path} ${record.noted}`)
    else {
      const { ended, outcome } = record
      write({ ...ended, status: statusOf(outcome), outcome })
    }
  }
  const perform = async (work: StepWork): Promise<ActionResult | undefined> => {
    if (work.kind === 'wait') {
      waits.push(work.ms)
      return undefined
    }
    const { path, action, input } = work
    performed.push({ path, action, input })
    const run = actions[action]
    try {
      if (run === undefined) throw new StewardError('not_found', { what: 'action', name: action })
      // As between processes: nothing is shared, and everything takes a turn.
      return { output: structuredClone({ ...input, ...(await run(structuredClone(input))) }) }
    } catch (thrown) {
      return { thrown }
    }
  }
  const run = async (steps: PipelineStep[], input: JsonObject): Promise<PipelineEnd> => {
    const pipeline = createPipelineRun(compilePipeline({ actions: steps }), input, recorded)
    const performing = new Map<StepWork, Promise<{ work: StepWork; result?: ActionResult }>>()
    for (let next = pipeline.start(); ; ) {
      for (const record of next.records) keep(record)
      if (next.end !== undefined) {
        if ('thrown' in next.end) throw next.end.thrown
        return next.end
      }
      for (const work of next.work) {
        performing.set(
          work,
          perform(work).then((result) => ({ work, result })),
        )
      }
      const { work, result } = await Promise.race(performing.values())
      performing.delete(work)
      next = pipeline.next(work, result)
    }
  }
  return {
    performed,
    waits,
    notes,
    revive: () => {
      isKilled = false
    },
    records: () => sortByPath([...records.values()]),
    run,
  }
}

const recalled = (outcome: PipelineStepOutcome | undefined): RecalledStep | undefined => {
  if (outcome === undefined) return undefined
  if (!('error' in outcome)) return outcome
  if (outcome.output !== undefined) return { output: outcome.output }
  return outcome.isHandled ? { handled: recordError(outcome.error) } : undefined
}
