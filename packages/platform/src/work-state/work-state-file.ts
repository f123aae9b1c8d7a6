import {
  fail,
  isJsonObject,
  type JsonObject,
  ok,
  type Result,
  type Schema,
  StewardError,
  type WorkState,
} from '@steward/contract'
import { z } from 'zod'
import { readStateFile, updateStateFile } from '../files/state-file.ts'
import type { Home } from '../home/home.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { Transition } from './transition.ts'

export interface WorkStatePorts {
  now: () => number
  /** Masks secrets in written data, because prompts may contain some. */
  redactor: Pick<Redactor, 'redact'>
  /** How long to wait for other writers. */
  waitMs?: number
}

/** A transition and whether the file was replaced; the state is only pushed if it was. */
export interface WorkStateUpdate<T> extends Transition<T> {
  written: boolean
}

/** Dozens of hooks may wait on a busy machine; an update that gives up is lost. */
const LOCK_WAIT_MS = 30_000

type Change<T> = (state: WorkState, nowMs: number) => Transition<T> | Promise<Transition<T>>

/**
 * The only way to change `work.json`: locked across processes, and on disk when done. An unreadable
 * file is set aside with an error; it is never treated as empty.
 */
export const updateWorkState = async <T>(
  home: Pick<Home, 'workState'>,
  change: Change<T>,
  { now, redactor, waitMs = LOCK_WAIT_MS }: WorkStatePorts,
): Promise<Result<WorkStateUpdate<T>>> => {
  const path = home.workState
  let made: WorkStateUpdate<T> | undefined
  const apply = async (current: WorkState): Promise<WorkState> => {
    const { state, outcome } = await change(current, now())
    const clean = redactChanged(current, state, redactor)
    made = { state: clean, outcome, written: clean !== current }
    return clean
  }
  const options = { now: () => new Date(now()), waitMs, isForeign: true }
  const result = await updateStateFile(path, workStateFile, NOTHING, apply, options)
  if (!result.ok) return fail(setAside(path, result.error))
  if (made === undefined) throw new StewardError('internal', { reason: `${path} was not changed` })
  return ok(made)
}

/** Reads `work.json`. Missing and unreadable are separate errors, with the path. */
export const readWorkState = async (home: Pick<Home, 'workState'>): Promise<Result<WorkState>> => {
  const path = home.workState
  const read = await readStateFile<WorkState | undefined>(path, workStateFile, undefined)
  if (!read.ok) return fail(unreadable(path, read.error))
  if (read.value === undefined) return fail(new StewardError('work_state_missing', { path }))
  return ok(read.value)
}

const NOTHING: WorkState = { sessions: {} }

/** Only requires sessions by slug; their content is kept unchanged. */
const workStateFile: Schema<WorkState> = z
  .custom<JsonObject>(
    (value) =>
      isJsonObject(value) && (value.sessions === undefined || isJsonObject(value.sessions)),
    'expected {"sessions": {…}}',
  )
  .transform((value) => ({
    ...value,
    sessions: isJsonObject(value.sessions) ? value.sessions : {},
  }))

/** Entries of other programs are not modified; only changed ones are masked. */
const redactChanged = (
  before: WorkState,
  after: WorkState,
  redactor: Pick<Redactor, 'redact'>,
): WorkState => {
  if (after === before) return before
  const sessions = Object.entries(after.sessions).map(([slug, entry]): [string, unknown] =>
    Object.hasOwn(before.sessions, slug) && before.sessions[slug] === entry
      ? [slug, entry]
      : [slug, redactor.redact(entry).value],
  )
  return { ...after, sessions: Object.fromEntries(sessions) }
}

const unreadable = (path: string, error: StewardError): StewardError =>
  new StewardError('work_state_unreadable', { path, reason: error.message }, error)

const setAside = (path: string, error: StewardError): StewardError => {
  const { aside } = error.details
  if (typeof aside !== 'string') return error
  const reason = `it is kept as ${aside}, and the next change begins a new file`
  return new StewardError('work_state_unreadable', { path, reason, aside }, error)
}
