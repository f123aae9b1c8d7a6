import { basename, join } from 'node:path'
import type { JsonObject } from '@steward/contract'
import {
  countIn,
  jsonLines,
  type LineFormat,
  objectIn,
  textIn,
  timeIn,
} from '../usage/json-lines.ts'
import { scanTime } from '../usage/scan-time.ts'
import type { ReaderMemory, SessionTotal, UsageCall, UsageReader } from '../usage/usage-reader.ts'
import { claudeFolder } from './files.ts'
import { findTitle } from './find-title.ts'
import { SYNTHETIC, scanMessages } from './scan-messages.ts'

/**
 * A message with text and tools is several rows with the same usage, and a fork copies rows of its
 * parent, without their output if it is interactive: all have the same id, and the row with the most
 * output counts.
 */
const readMessage = (row: JsonObject, path: string): UsageCall[] => {
  const message = objectIn(row, 'message')
  const usage = objectIn(message, 'usage')
  const id = textIn(message, 'id')
  const model = textIn(message, 'model')
  const session = textIn(row, 'sessionId')
  if (!usage || !id || !model || !session || model === SYNTHETIC) return []
  const written = objectIn(usage, 'cache_creation')
  const writes = countIn(usage, 'cache_creation_input_tokens')
  const cacheWrite1h = countIn(written, 'ephemeral_1h_input_tokens')
  const subagent = textIn(row, 'agentId') ?? subagentOf(path)
  const project = textIn(row, 'cwd')
  const branch = textIn(row, 'gitBranch')
  const call: UsageCall = {
    id: `${id} ${textIn(row, 'requestId') ?? ''}`,
    session,
    model,
    atMs: timeIn(row, 'timestamp'),
    tokens: {
      input: countIn(usage, 'input_tokens'),
      output: countIn(usage, 'output_tokens'),
      cacheRead: countIn(usage, 'cache_read_input_tokens'),
      cacheWrite5m: Math.max(0, writes - cacheWrite1h),
      cacheWrite1h,
    },
  }
  if (subagent !== undefined) call.subagent = subagent
  if (project !== undefined) call.project = project
  if (branch !== undefined) call.branch = branch
  return [call]
}

const subagentOf = (path: string): string | undefined =>
  /^agent-(.+)\.jsonl$/.exec(basename(path))?.[1]

/**
 * Requests that summarise a long session have no row of their own; only the totals of `cost-state`
 * count them. A forked session begins with its parent's totals, before any row of its own, or adds
 * its first calls to them.
 */
const readTotals = (row: JsonObject, memory: ReaderMemory): SessionTotal[] => {
  const session = textIn(row, 'sessionId')
  const models = objectIn(row, 'modelUsage')
  if (session === undefined || models === undefined) return []
  const isFirst = memory.hasTotals === undefined
  memory.hasTotals = 1
  return Object.keys(models).map((model) => {
    const totals = objectIn(models, model)
    return {
      session,
      model,
      isInherited: memory.hasOwn === undefined || (isFirst && memory.hasCopies !== undefined),
      atMs: timeIn(row, 'timestamp') || Number(memory.lastMs ?? 0),
      tokens: {
        input: countIn(totals, 'inputTokens'),
        output: countIn(totals, 'outputTokens'),
        cacheRead: countIn(totals, 'cacheReadInputTokens'),
        cacheWrite5m: countIn(totals, 'cacheCreationInputTokens'),
        cacheWrite1h: 0,
      },
    }
  })
}

const FORMAT: LineFormat = {
  marks: ['_tokens":', 'USD":'],
  look: (bytes, memory, path) => {
    const startMs = memory.startMs ?? findStart(bytes)
    if (startMs !== undefined) memory.startMs = startMs
    if (memory.hasTitle !== undefined || subagentOf(path) !== undefined) return {}
    const found = findTitle(bytes)
    if (found === undefined) return {}
    memory.hasTitle = 1
    return { titles: [found] }
  },
  scan: (bytes, memory, path) => {
    const scan = scanMessages(bytes, subagentOf(path))
    return (...line) => {
      const call = scan(...line)
      if (call) remember(call, memory)
      return call
    }
  },
  read: (row, memory, path) => {
    if (row.type === 'cost-state') return { totals: readTotals(row, memory) }
    if (row.type !== 'assistant') return {}
    const calls = readMessage(row, path)
    for (const call of calls) remember(call, memory)
    return { calls }
  },
}

const remember = (call: UsageCall, memory: ReaderMemory): void => {
  if (call.atMs < Number(memory.startMs)) {
    call.isCopy = true
    memory.hasCopies = 1
  }
  // An interactive fork copies rows without their output.
  if (call.isCopy || call.tokens.output === 0) return
  memory.hasOwn = 1
  memory.lastMs = call.atMs
}

const BEFORE_TIME = Buffer.from('"timestamp":"')
const TIME_CHARS = '2026-11-10T10:00:00.000Z'.length

/** When the session began, by the first time in its file. Rows that are older were copied. */
const findStart = (bytes: Buffer): number | undefined => {
  const at = bytes.indexOf(BEFORE_TIME)
  if (at === -1) return undefined
  const from = at + BEFORE_TIME.length
  return scanTime(bytes, from, from + TIME_CHARS)
}

export const claudeUsage: UsageReader = {
  folders: (place) => [{ path: join(claudeFolder(place), 'projects'), isDeep: true }],
  sourceOf: (path) => (path.endsWith('.jsonl') ? jsonLines(path, FORMAT) : undefined),
}
