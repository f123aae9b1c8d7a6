import { type JsonObject, type PipelineStep, StewardError } from '@steward/contract'
import { recordError } from '../../flow/record-error.ts'
import { compilePipeline } from '../compile-pipeline.ts'
import {
  type PipelineHost,
  type PipelineStepOutcome,
  type RecalledStep,
  runPipeline,
  statusOf,
} from '../run-pipeline.ts'
import { sortByPath } from '../step-path.ts'

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
  const host: PipelineHost = {
    recall: (path, name) => {
      const found = records.get(path)
      return found?.name === name ? recalled(found.outcome) : undefined
    },
    started: ({ path, name }) => write({ path, name, status: 'started' }),
    perform: async ({ path, action, input }) => {
      if (isKilled) throw new Killed()
      performed.push({ path, action, input })
      const run = actions[action]
      if (run === undefined) throw new StewardError('not_found', { what: 'action', name: action })
      // As between processes: nothing is shared, and everything takes a turn.
      return structuredClone({ ...input, ...(await run(structuredClone(input))) })
    },
    ended: ({ path, name }, outcome) => write({ path, name, status: statusOf(outcome), outcome }),
    noted: (path, message) => notes.push(`${path} ${message}`),
    throwIfStopped: () => {
      if (isKilled) throw new Killed()
    },
    wait: async (ms) => {
      waits.push(ms)
    },
  }
  return {
    host,
    performed,
    waits,
    notes,
    revive: () => {
      isKilled = false
    },
    records: () => sortByPath([...records.values()]),
    run: (steps: PipelineStep[], input: JsonObject) =>
      runPipeline(compilePipeline({ actions: steps }), input, host),
  }
}

const recalled = (outcome: PipelineStepOutcome | undefined): RecalledStep | undefined => {
  if (outcome === undefined) return undefined
  if (!('error' in outcome)) return outcome
  if (outcome.output !== undefined) return { output: outcome.output }
  return outcome.isHandled ? { handled: recordError(outcome.error) } : undefined
}
