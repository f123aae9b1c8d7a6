import { join } from 'node:path'
import type { HostEvent } from '@steward/contract'
import { appendLogRow, type Home, withVersion } from '@steward/platform'
import type { HookCall } from './read-arguments.ts'

/** One run of the hook program, as `steward doctor` counts it. */
export interface Firing extends HookCall {
  timestamp: string
  /** From the start of the process to the end of its work: the delay for an assistant that waits. */
  duration_ms: number
  /** Another registration handles this event: nothing was written. */
  yielded?: true
  errors?: string[]
  /** The tool call that it was about, from which the daemon knows what still runs. */
  tool?: FiredCall
}

export interface FiredCall {
  session_id: string
  call: 'begun' | 'ended'
  call_id: string
}

const ENDS: ReadonlySet<string> = new Set(['PostToolUse', 'PostToolUseFailure'])

/** The call that an event begins or ends; a refused one has not begun. */
export const firedCallOf = (event: HostEvent, isRefused: boolean): FiredCall | undefined => {
  const { hook_event_name: name, session_id, tool_use_id, tool_name = '' } = event
  const call = ENDS.has(name) ? 'ended' : name === 'PreToolUse' && !isRefused ? 'begun' : undefined
  if (call === undefined || session_id === '') return undefined
  return { session_id, call, call_id: tool_use_id ?? tool_name }
}

const KEPT_BYTES = 4 * 1024 * 1024
const KEPT_ERRORS = 5
const ERROR_CHARS = 500

export const firingsPath = (home: Pick<Home, 'databases'>): string =>
  join(home.databases, 'hook-firings.jsonl')

/** Appends a firing to the log; the oldest ones are dropped. */
export const recordFiring = (home: Pick<Home, 'databases'>, { tool, ...firing }: Firing): void => {
  const errors = firing.errors?.slice(0, KEPT_ERRORS).map((text) => text.slice(0, ERROR_CHARS))
  const duration_ms = Math.round(firing.duration_ms * 10) / 10
  const row = withVersion({ ...firing, ...tool, duration_ms, errors })
  appendLogRow(firingsPath(home), row, { maxBytes: KEPT_BYTES, files: 1 })
}
