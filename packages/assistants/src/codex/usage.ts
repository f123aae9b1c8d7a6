import { join } from 'node:path'
import type { JsonObject } from '@steward/contract'
import {
  countIn,
  jsonLines,
  type LineFormat,
  objectIn,
  textIn,
  timeIn,
} from '../usage/json-lines.ts'
import type {
  ReaderMemory,
  ReportedWindow,
  UsageCall,
  UsageFound,
  UsageReader,
} from '../usage/usage-reader.ts'
import { codexFolder } from './files.ts'

/**
 * One file per thread. The model and the folder are in earlier rows. `token_count` rows repeat, so
 * `token_usage_record` is counted where it exists. Versions before it have only `token_count`: there
 * the growth of the thread's total counts. The input includes the cache, and the output reasoning.
 */
const FORMAT: LineFormat = {
  marks: ['_usage_record"', '_context"', '_meta"', '_usage":', 'ser_message"', 'CommandExecution"'],
  read: (row, memory) => {
    const payload = objectIn(row, 'payload')
    if (row.type === 'session_meta' || row.type === 'turn_context') {
      remember(payload, memory)
      return {}
    }
    if (row.type === 'event_msg' && payload?.type === 'user_message') {
      return readTitle(payload, memory)
    }
    if (payload?.type === 'item_completed') return readFailure(row, payload, memory)
    if (row.type === 'event_msg' && payload?.type === 'token_count') {
      return { calls: readGrowth(row, payload, memory), windows: readWindows(row, payload) }
    }
    const usage = objectIn(payload, 'usage')
    const id = textIn(payload, 'response_id')
    const thread = textIn(payload, 'thread_id')
    if (row.type !== 'token_usage_record' || usage === undefined || !id || !thread) return {}
    memory.hasRecords = 1
    const session = textIn(payload, 'session_id') ?? thread
    return { calls: [toCall(row, memory, id, session, thread, usage)] }
  },
}

const remember = (payload: JsonObject | undefined, memory: ReaderMemory): void => {
  const known = {
    project: textIn(payload, 'cwd'),
    model: textIn(payload, 'model'),
    branch: textIn(objectIn(payload, 'git'), 'branch'),
    source: textIn(payload, 'thread_source'),
    thread: textIn(payload, 'id'),
    parent: textIn(payload, 'parent_thread_id'),
    version: textIn(payload, 'cli_version'),
  }
  for (const [key, value] of Object.entries(known)) {
    if (value !== undefined) memory[key] = value
  }
}

const TITLE_CHARS = 80

const readTitle = (payload: JsonObject, memory: ReaderMemory): UsageFound => {
  const [line] = (textIn(payload, 'message') ?? '').trim().split('\n')
  if (!line || memory.title !== undefined || memory.thread === undefined) return {}
  memory.title = line.slice(0, TITLE_CHARS)
  return { titles: [{ session: String(memory.thread), title: memory.title }] }
}

/** The records are written before the counts, so a thread with records has none of these calls. */
const readGrowth = (row: JsonObject, payload: JsonObject, memory: ReaderMemory): UsageCall[] => {
  const total = objectIn(objectIn(payload, 'info'), 'total_token_usage')
  const thread = memory.thread
  if (total === undefined || thread === undefined || memory.hasRecords !== undefined) return []
  const growth: JsonObject = {}
  let sum = 0
  for (const key of COUNTED) {
    const now = countIn(total, key)
    growth[key] = Math.max(0, now - Number(memory[key] ?? 0))
    sum += Number(growth[key])
    memory[key] = now
  }
  if (sum === 0) return []
  const id = `${thread} ${countIn(total, 'total_tokens')}`
  const session = String(memory.parent ?? thread)
  return [toCall(row, memory, id, session, String(thread), growth)]
}

const COUNTED = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
] as const

const toCall = (
  row: JsonObject,
  memory: ReaderMemory,
  id: string,
  session: string,
  thread: string,
  usage: JsonObject,
): UsageCall => {
  const isSubagent = thread !== session || memory.source === 'guardian_review'
  const cacheRead = countIn(usage, 'cached_input_tokens')
  const cacheWrite5m = countIn(usage, 'cache_write_input_tokens')
  return {
    id,
    session,
    ...(isSubagent ? { subagent: thread } : {}),
    ...(memory.project === undefined ? {} : { project: String(memory.project) }),
    ...(memory.branch === undefined ? {} : { branch: String(memory.branch) }),
    model: String(memory.model ?? 'unknown'),
    atMs: timeIn(row, 'timestamp'),
    tokens: {
      input: Math.max(0, countIn(usage, 'input_tokens') - cacheRead - cacheWrite5m),
      output: countIn(usage, 'output_tokens'),
      cacheRead,
      cacheWrite5m,
      cacheWrite1h: 0,
    },
  }
}

const COMMAND_CHARS = 500

/** The hook of Codex does not tell that a command failed. */
const readFailure = (row: JsonObject, payload: JsonObject, memory: ReaderMemory): UsageFound => {
  const item = objectIn(payload, 'item')
  const exitCode = item?.exit_code
  const id = textIn(item, 'id')
  if (item?.type !== 'CommandExecution' || item.status !== 'failed' || id === undefined) return {}
  const command = Array.isArray(item.command) ? item.command.join(' ') : textIn(item, 'command')
  return {
    failures: [
      {
        id,
        session: String(memory.parent ?? memory.thread ?? ''),
        ...(memory.project === undefined ? {} : { project: String(memory.project) }),
        command: (command ?? '').slice(0, COMMAND_CHARS),
        exitCode: typeof exitCode === 'number' ? exitCode : 1,
        atMs: timeIn(row, 'timestamp'),
      },
    ],
  }
}

const SECOND_MS = 1000

/** The limits of the subscription, as the vendor reported them with an answer. */
const readWindows = (row: JsonObject, payload: JsonObject): ReportedWindow[] => {
  const limits = objectIn(payload, 'rate_limits')
  const atMs = timeIn(row, 'timestamp')
  return ['primary', 'secondary'].flatMap((name) => {
    const limit = objectIn(limits, name)
    const minutes = countIn(limit, 'window_minutes')
    const used = limit?.used_percent
    if (minutes === 0 || typeof used !== 'number') return []
    const inMs = countIn(limit, 'resets_in_seconds') * SECOND_MS
    const resetsMs = countIn(limit, 'resets_at') * SECOND_MS || atMs + inMs
    return [{ minutes, usedPercent: used, resetsMs, atMs }]
  })
}

export const codexUsage: UsageReader = {
  folders: (place) =>
    ['sessions', 'archived_sessions'].map((name) => ({
      path: join(codexFolder(place), name),
      isDeep: true,
    })),
  sourceOf: (path) => (path.endsWith('.jsonl') ? jsonLines(path, FORMAT) : undefined),
}
