import { keyOfBytes } from '../usage/call-key.ts'
import { findMembers } from '../usage/find-members.ts'
import type { ScanLine } from '../usage/json-lines.ts'
import { isSame, viewOf } from '../usage/same-bytes.ts'
import { scanTime } from '../usage/scan-time.ts'
import type { UsageCall } from '../usage/usage-reader.ts'

const TYPE = 0
const SESSION = 1
const REQUEST = 2
const AGENT = 3
const FOLDER = 4
const BRANCH = 5
const TIME = 6
const ID = 7
const MODEL = 8
const INPUT = 9
const OUTPUT = 10
const CACHE_READ = 11
const CACHE_WRITE = 12
const CACHE_WRITE_1H = 13
const COUNTS = [INPUT, OUTPUT, CACHE_READ, CACHE_WRITE, CACHE_WRITE_1H]

/** As the ledger names the calls of this assistant. */
const CALL_PREFIX = 'claude '
const BEFORE_REQUEST = '"requestId":"'
/** Claude Code writes messages of its own, such as errors, as an assistant without a model. */
export const SYNTHETIC = '<synthetic>'

const members = findMembers({
  type: TYPE,
  sessionId: SESSION,
  requestId: REQUEST,
  agentId: AGENT,
  cwd: FOLDER,
  gitBranch: BRANCH,
  timestamp: TIME,
  message: {
    id: ID,
    model: MODEL,
    usage: {
      input_tokens: INPUT,
      output_tokens: OUTPUT,
      cache_read_input_tokens: CACHE_READ,
      cache_creation_input_tokens: CACHE_WRITE,
      cache_creation: { ephemeral_1h_input_tokens: CACHE_WRITE_1H },
    },
  },
})
const { starts, ends, counts, text } = members

/**
 * Reads the messages of one buffer. Rows of one message follow each other: the same request with the
 * same counts at the same distance is not read again. Quotes in a text are escaped, so these bytes are
 * members and not text about them.
 */
export const scanMessages = (bytes: Buffer, subagent: string | undefined): ScanLine => {
  members.begin(bytes)
  const view = viewOf(bytes)
  let lastMark = 0
  let countsEnd = 0
  const request = { from: 0, to: 0 }
  const id = { from: 0, to: 0 }

  const isRepeated = (from: number, to: number, shift: number): boolean =>
    isSame(view, from, view, from + shift, to - from)
  const isRepeat = (start: number, mark: number, end: number): boolean => {
    const shift = mark - lastMark
    return (
      countsEnd > 0 &&
      request.from + shift > start &&
      Math.max(request.to, countsEnd) + shift < end &&
      isRepeated(request.from - BEFORE_REQUEST.length, request.to + 1, shift) &&
      isRepeated(lastMark, countsEnd + 1, shift)
    )
  }

  return (start, mark, end) => {
    if (isRepeat(start, mark, end)) return null
    countsEnd = 0
    if (!members.read(bytes, start, end)) return undefined
    const type = text(bytes, TYPE)
    if (type !== 'assistant') return type === 'user' ? null : undefined
    const session = text(bytes, SESSION)
    const model = text(bytes, MODEL)
    id.from = starts[ID] ?? -1
    id.to = ends[ID] ?? -1
    const hasRequest = starts[REQUEST] !== -1
    request.from = hasRequest ? (starts[REQUEST] ?? 0) : 0
    request.to = hasRequest ? (ends[REQUEST] ?? 0) : 0
    // Anything that is unusual is parsed.
    if (!session || !model || model === SYNTHETIC || counts[OUTPUT] === -1) return undefined
    if (id.from === -1 || id.from === id.to || starts[TIME] === -1) return undefined
    const key = keyOfBytes(CALL_PREFIX, bytes, id, request)
    const atMs = scanTime(bytes, starts[TIME] ?? 0, ends[TIME] ?? 0)
    if (key === undefined || atMs === undefined) return undefined
    if (hasRequest) {
      lastMark = mark
      for (const each of COUNTS) {
        if (counts[each] !== -1) countsEnd = Math.max(countsEnd, ends[each] ?? 0)
      }
    }
    const cacheWrite1h = count(CACHE_WRITE_1H)
    const agent = text(bytes, AGENT) || subagent
    const project = text(bytes, FOLDER)
    const branch = text(bytes, BRANCH)
    const call: UsageCall = {
      id: key,
      session,
      model,
      atMs,
      tokens: {
        input: count(INPUT),
        output: count(OUTPUT),
        cacheRead: count(CACHE_READ),
        cacheWrite5m: Math.max(0, count(CACHE_WRITE) - cacheWrite1h),
        cacheWrite1h,
      },
    }
    if (agent) call.subagent = agent
    if (project) call.project = project
    if (branch) call.branch = branch
    return call
  }
}

const count = (number: number): number => Math.max(0, counts[number] ?? 0)
