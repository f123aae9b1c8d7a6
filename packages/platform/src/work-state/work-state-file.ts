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
  /** Takes secrets out of what is written; prompts hold some. */
  redactor: Pick<Redactor, 'redact'>
  /** How long to wait for other writers. */
  waitMs?: number
}

/** A transition and whether the file was replaced; state is pushed only when it was. */
export interface WorkStateUpdate<T> extends Transition<T> {
  written: boolean
}

/** Dozens of hooks may wait on a machine that is busy with other things; an update that gives up is lost. */
const LOCK_WAIT_MS = 30_000

type Change<T> = (state: WorkState, nowMs: number) => Transition<T> | Promise<Transition<T>>

/**
 * The one way to change `work.json`: locked across processes, read, changed, on disk when this is
 * done. An unreadable file is set aside and the answer is an error; it is never taken for empty.
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
  const options = { now: () => new Date(now()), waitMs }
  const result = await updateStateFile(path, workStateFile, NOTHING, apply, options)
  if (!result.ok) return fail(setAside(path, result.error))
  if (made === undefined) throw new StewardError('internal', { reason: `${path} was not changed` })
  return ok(made)
}

/** Reads `work.json` as it is now. Missing and unreadable are errors of their own, with the path. */
export const readWorkState = async (home: Pick<Home, 'workState'>): Promise<Result<WorkState>> => {
  const path = home.workState
  const read = await readStateFile<WorkState | undefined>(path, workStateFile, undefined)
  if (!read.ok) return fail(unreadable(path, read.error))
  if (read.value === undefined) return fail(new StewardError('work_state_missing', { path }))
  return ok(read.value)
}

const NOTHING: WorkState = { sessions: {} }

/** Only that there are sessions by slug is asked; what they hold is kept as it came, key for key. */
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

/** Entries that others wrote are theirs; only what changed goes through the redactor. */
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
