import { basename, join } from 'node:path'
import type { JsonObject } from '@steward/contract'
import {
  countIn,
  type IsRepeat,
  jsonLines,
  type LineFormat,
  objectIn,
  textIn,
  timeIn,
} from '../usage/json-lines.ts'
import { pickMembers } from '../usage/pick-members.ts'
import type { ReaderMemory, SessionTotal, UsageCall, UsageReader } from '../usage/usage-reader.ts'
import { claudeFolder } from './files.ts'

/**
 * A message with text and tools is several rows with the same usage, and a fork copies rows of its
 * parent without output: both have the same id, and the row with the most output counts.
 */
const readMessage = (row: JsonObject, path: string): UsageCall[] => {
  const message = objectIn(row, 'message')
  const usage = objectIn(message, 'usage')
  const id = textIn(message, 'id')
  const model = textIn(message, 'model')
  const session = textIn(row, 'sessionId')
  // Claude Code writes messages of its own, such as errors, as an assistant without a model.
  if (!usage || !id || !model || !session || model === '<synthetic>') return []
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

const subagentOf = (path: string): string | undefined => {
  if (named.path !== path) {
    named = { path, subagent: /^agent-(.+)\.jsonl$/.exec(basename(path))?.[1] }
  }
  return named.subagent
}
/** The rows of a file follow each other. */
let named: { path: string; subagent: string | undefined } = { path: '', subagent: undefined }

/**
 * Requests that summarise a long session have no row of their own; only the totals of `cost-state`
 * count them. A forked session begins with its parent's totals, before any row of its own.
 */
const readTotals = (row: JsonObject, memory: ReaderMemory): SessionTotal[] => {
  const session = textIn(row, 'sessionId')
  const models = objectIn(row, 'modelUsage')
  if (session === undefined || models === undefined) return []
  return Object.keys(models).map((model) => {
    const totals = objectIn(models, model)
    return {
      session,
      model,
      isInherited: memory.hasOwn === undefined,
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

/** As they are written; a search is fastest if it begins with a letter that is rare. */
const REQUEST = Buffer.from('Id":"req_')
const OUTPUT = Buffer.from('output_tokens":')
const QUOTE = 0x22
const MOST_DIGITS = 20

/**
 * Rows of one message follow each other: the same request with the same counts, at the same distance.
 * Quotes in a text are escaped, so these bytes are members and not text about them.
 */
const findRepeats = (): IsRepeat => {
  let [markAt, countsEnd, requestAt, requestEnd] = [0, 0, 0, 0]
  return (bytes, start, mark, end) => {
    const shift = mark - markAt
    const isSame = (from: number, to: number): boolean =>
      from + shift >= start &&
      to + shift < end &&
      bytes.compare(bytes, from, to, from + shift, to + shift) === 0
    if (countsEnd > 0 && isSame(markAt, countsEnd) && isSame(requestAt, requestEnd)) return true
    markAt = mark
    requestAt = bytes.indexOf(REQUEST, start)
    requestEnd = bytes.indexOf(QUOTE, requestAt + REQUEST.length)
    const output = bytes.indexOf(OUTPUT, mark)
    const isComplete = requestAt !== -1 && requestEnd < end && output !== -1
    countsEnd = isComplete ? Math.min(output + OUTPUT.length + MOST_DIGITS, end) : 0
    return false
  }
}

const pick = pickMembers({
  type: true,
  sessionId: true,
  requestId: true,
  agentId: true,
  cwd: true,
  gitBranch: true,
  timestamp: true,
  modelUsage: true,
  message: {
    id: true,
    model: true,
    usage: {
      input_tokens: true,
      output_tokens: true,
      cache_read_input_tokens: true,
      cache_creation_input_tokens: true,
      cache_creation: { ephemeral_1h_input_tokens: true },
    },
  },
})

const FORMAT: LineFormat = {
  findRepeats,
  marks: ['_tokens":', 'USD":'],
  pick,
  read: (row, memory, path) => {
    if (row.type === 'cost-state') return { totals: readTotals(row, memory) }
    if (row.type !== 'assistant') return {}
    const calls = readMessage(row, path)
    for (const { tokens, atMs } of calls) {
      // Rows that were copied from the parent of a fork have no output.
      if (tokens.output === 0) continue
      memory.hasOwn = 1
      memory.lastMs = atMs
    }
    return { calls }
  },
}

export const claudeUsage: UsageReader = {
  folders: (place) => [{ path: join(claudeFolder(place), 'projects'), isDeep: true }],
  sourceOf: (path) => (path.endsWith('.jsonl') ? jsonLines(path, FORMAT) : undefined),
}
