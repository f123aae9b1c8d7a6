import { isJsonObject, type JsonObject } from '@steward/contract'
import { type SqlQuery, type SqlValue, sha256Hex } from '@steward/engine'
import type { CallPorts } from '../call-worker.ts'
import { type FinishedStep, type FinishedSteps, unhelpfulAnswers } from '../http/step-stream.ts'
import type { WorkerPorts } from '../platform.ts'

/**
 * The finished steps of items whose pipeline did not end. `call` is the hash of the pipeline's
 * input: a looping flow calls it several times, and a changed item starts from the first step. One
 * row counts the answers of models that did not help, so that the model is asked again.
 */
export const FLOW_STEPS_TABLE = `
  CREATE TABLE IF NOT EXISTS flow_steps (
    flow TEXT NOT NULL,
    item TEXT NOT NULL,
    call TEXT NOT NULL,
    step TEXT NOT NULL,
    version TEXT NOT NULL,
    output TEXT NOT NULL,
    PRIMARY KEY (flow, item, call, step)
  ) STRICT;
  `

export interface StepPorts {
  query: SqlQuery
  startTimer: WorkerPorts['startTimer']
  /** Writes with other changes; an urgent one does not wait for them. */
  write: (sql: string, values: readonly SqlValue[], isUrgent: boolean) => Promise<void>
  /** JSON to store; null if the value contained a secret. */
  encode: (value: JsonObject) => string | null
  /** A step that could not be stored does not fail its item; it runs again if the item fails later. */
  onUnstored: (thrown: unknown) => void
}

/** Follows one call of the pipeline for an item, and passes on the steps that are already done. */
export type FollowCall = (item: string, input: JsonObject) => NonNullable<CallPorts['steps']>

/** So that an item that fails midway continues at the failed step, and no model call is paid twice. */
export interface KeptSteps {
  /** Reads the steps of these items once. A step is only stored if `hasRoom`. */
  read: (
    items: readonly string[],
    hasRoom: (step: Pick<FinishedStep, 'paid'>) => boolean,
  ) => Promise<FollowCall>
  /** Writes the steps that still wait, of one item or of all. */
  flush: (item?: string) => Promise<void>
  /** For items whose outputs are stored. */
  drop: (items: readonly string[]) => Promise<void>
}

/**
 * How long a step that cost nothing waits. Most pipelines without a model end before, and then it
 * need not be written.
 */
const FREE_STEP_MS = 25

const IN_LIST = 'IN (SELECT value FROM json_each(?2))'
const READ = `SELECT item, call, step, version, output FROM flow_steps
  WHERE flow = ?1 AND item ${IN_LIST}`
const KEEP = `INSERT INTO flow_steps (flow, item, call, step, version, output)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (flow, item, call, step) DO UPDATE
  SET version = excluded.version, output = excluded.output`
const DROP = `DELETE FROM flow_steps WHERE flow = ?1 AND item ${IN_LIST}`

export const createKeptSteps = (
  flow: string,
  { query, startTimer, write, encode, onUnstored }: StepPorts,
): KeptSteps => {
  /** Items that may have rows. */
  const stored = new Set<string>()
  const waiting = new Map<string, SqlValue[][]>()

  const flush: KeptSteps['flush'] = async (item) => {
    const items = item === undefined ? [...waiting.keys()] : [item]
    const rows = items.flatMap((each) => waiting.get(each) ?? [])
    for (const each of items) if (waiting.delete(each)) stored.add(each)
    await Promise.all(rows.map((values) => write(KEEP, values, true))).catch(onUnstored)
  }

  const readSteps = async (items: readonly string[]): Promise<Map<string, FinishedSteps>> => {
    const found = new Map<string, FinishedSteps>()
    for (const row of await query(READ, [flow, JSON.stringify(items)])) {
      const item = String(row.item)
      stored.add(item)
      const key = keyOf(item, String(row.call))
      const version = String(row.version)
      const known = found.get(key)
      const output: unknown = JSON.parse(String(row.output))
      if (!isJsonObject(output)) continue
      if (row.step === UNHELPFUL) {
        const unhelpful = unhelpfulAnswers.parse(output)
        found.set(key, { version, outputs: {}, ...known, unhelpful })
        continue
      }
      const before = known?.version === version ? known.outputs : {}
      found.set(key, { ...known, version, outputs: { ...before, [String(row.step)]: output } })
    }
    return found
  }

  return {
    read: async (items, hasRoom) => {
      const found = await readSteps(items)
      return (item, input) => {
        const call = sha256Hex(JSON.stringify(input))
        return {
          finished: found.get(keyOf(item, call)),
          onStep: async ({ step, version, output, paid }) => {
            const text = encode(output)
            if (text === null || !hasRoom({ paid })) return
            const rows = waiting.get(item) ?? []
            waiting.set(item, [...rows, [flow, item, call, step, version, text]])
            if (paid) await flush(item)
            else if (rows.length === 0) startTimer(FREE_STEP_MS, () => void flush(item))
          },
          // Written with the failure of the item.
          onUnhelpful: (answers) => {
            const text = encode(answers)
            if (text === null) return
            const row = [flow, item, call, UNHELPFUL, '', text]
            waiting.set(item, [...(waiting.get(item) ?? []), row])
          },
        }
      }
    },
    flush,
    drop: async (items) => {
      for (const item of items) waiting.delete(item)
      const gone = items.filter((item) => stored.delete(item))
      if (gone.length > 0) await write(DROP, [flow, JSON.stringify(gone)], false)
    },
  }
}

/** In place of a step: the answers of models that did not help. */
const UNHELPFUL = 'unhelpful'

const keyOf = (item: string, call: string): string => `${call} ${item}`
