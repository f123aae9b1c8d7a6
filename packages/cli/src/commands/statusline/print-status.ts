import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type JsonObject, STATUS_SUMMARY_FILE } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'

/**
 * Prints the line. Claude Code starts this after every message, so it loads no schema, asks no
 * server and is called before the commands are set up.
 */
export const printStatus = (io: Io, program: 'claude' | 'tmux'): void => {
  const isPiped = program === 'claude' && io.stdinKind() !== 'nothing'
  const given = isPiped ? parse(readFileSync(0, 'utf8')) : {}
  const path = join(resolveHome(io.env, io.homedir).root, STATUS_SUMMARY_FILE)
  io.out.write(`${renderLine(given, readSummary(path), io.now())}\n`)
}

const readSummary = (path: string): JsonObject => {
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch {
    // The daemon has not written it yet.
    return {}
  }
}

const parse = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

const objectAt = (from: JsonObject | undefined, key: string): JsonObject | undefined => {
  const value = from?.[key]
  return isJsonObject(value) ? value : undefined
}
const numberAt = (from: JsonObject | undefined, key: string): number | undefined => {
  const value = from?.[key]
  return typeof value === 'number' ? value : undefined
}

/** Without the calls whose price is unknown, the cost is more, and no cost says nothing. */
const describeCost = (label: string, usd: number | undefined, isPartial: boolean): string => {
  if (usd === undefined) return ''
  if (isPartial && usd === 0) return `${label}: price unknown`
  return `${isPartial ? 'at least ' : ''}$${usd.toFixed(2)} ${label}`
}

/** `$3.42 today · $0.80 session · 5 h 42 % · 2 waiting` */
export const renderLine = (given: JsonObject, summary: JsonObject, nowMs: number): string => {
  const session = typeof given.session_id === 'string' ? given.session_id : ''
  const said = numberAt(objectAt(given, 'cost'), 'total_cost_usd')
  const own = said ?? numberAt(objectAt(summary, 'sessions'), session)
  const partial = Array.isArray(summary.partial_sessions) ? summary.partial_sessions : []
  const isToday = new Date(String(summary.day)).toDateString() === new Date(nowMs).toDateString()
  const today = isToday ? numberAt(summary, 'today_usd') : undefined
  const waiting = numberAt(summary, 'waiting') ?? 0
  const parts = [
    describeCost('today', today, summary.today_is_partial === true),
    describeCost('session', own, said === undefined && partial.includes(session)),
    describeWindow('5 h', given, 'five_hour', summary, 'five_hours', nowMs),
    describeWindow('week', given, 'seven_day', summary, 'week', nowMs),
    waiting === 0 ? '' : `${waiting} waiting`,
  ].filter(Boolean)
  return cleanText(parts.join(' · ') || 'steward: no usage yet')
}

/** What Claude Code says about its subscription, otherwise what the ledger derived. */
const describeWindow = (
  label: string,
  given: JsonObject,
  givenName: string,
  summary: JsonObject,
  kind: string,
  nowMs: number,
): string => {
  const limit = objectAt(objectAt(given, 'rate_limits'), givenName)
  const windows = Array.isArray(summary.windows) ? summary.windows.filter(isJsonObject) : []
  const derived = windows.find(
    (each) =>
      each.kind === kind &&
      each.assistant === 'claude' &&
      Date.parse(String(each.resets_at)) > nowMs,
  )
  const used = numberAt(limit, 'used_percentage') ?? numberAt(derived, 'used_percent')
  return used === undefined ? '' : `${label} ${Math.round(used)} %`
}
