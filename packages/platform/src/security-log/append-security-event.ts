import { closeSync, fstatSync, fsyncSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type SecurityEventDraft, type SecurityRow, StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { withLock } from '../locks/with-lock.ts'
import { appendLogRow } from '../logs/append-log.ts'
import { readTail } from '../logs/read-tail.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { readSecurityHead, type SecurityHead, writeSecurityHead } from './security-head.ts'
import {
  listSecurityFiles,
  type SecurityHome,
  securityLockPath,
  securityLogName,
} from './security-log-files.ts'
import {
  buildSecurityRow,
  CHAIN_START,
  type ChainEnd,
  chainEndOf,
  isSecurityRow,
} from './security-row.ts'

export interface SecurityLogPorts {
  redactor: Pick<Redactor, 'redactText'>
  now?: () => number
  /** How long to wait for other writers. */
  waitMs?: number
}

const WAIT_MS = 5_000

/**
 * Appends an event to the security log, linked to the previous one by its hash. Used by hooks and
 * the daemon concurrently. A detected gap (truncated rows, a missing head) is first recorded as a
 * separate event; the chain keeps showing it. A call that names itself is recorded once
 * per rule, because the hook and the daemon may both try.
 */
export const appendSecurityEvent = (
  home: SecurityHome,
  event: SecurityEventDraft,
  { redactor, now = Date.now, waitMs = WAIT_MS }: SecurityLogPorts,
): Promise<SecurityRow> =>
  withLock(
    securityLockPath(home),
    async () => {
      const date = new Date(now())
      const { end, file: last, gap } = await findEnd(home)
      const wanted = buildSecurityRow(event, end, date, redactor)
      const known = last === undefined ? undefined : await findRecorded(home, last, wanted)
      if (known !== undefined) return known
      // Never an older file than the last one, even if the clock was set back, because their order
      // is the chain's.
      const today = securityLogName(date)
      const file = last !== undefined && last > today ? last : today
      const drafts = gap === undefined ? [event] : [describeGap(gap), event]
      let row = wanted
      let at = end
      for (const draft of drafts) {
        row = buildSecurityRow(draft, at, date, redactor)
        appendLogRow(join(home.security, file), { ...row }, { maxBytes: Number.MAX_SAFE_INTEGER })
        at = row
      }
      const bytes = syncFile(join(home.security, file))
      await writeSecurityHead(home, { seq: at.seq, hash: at.hash, file, bytes })
      return row
    },
    { waitMs },
  )

/** How far back a call may have been recorded by the other of hook and daemon. */
const RECENT_ROWS = 100

/** The row of the same call and rule, if the hook or the daemon wrote it before. */
const findRecorded = async (
  home: SecurityHome,
  file: string,
  { call, rule, session_id, target, shadow }: SecurityRow,
): Promise<SecurityRow | undefined> => {
  if (call === undefined) return undefined
  const { rows } = await readTail(join(home.security, file), { rows: RECENT_ROWS })
  return rows
    .map(({ row }) => row)
    .filter(isSecurityRow)
    .find(
      (row) =>
        row.call === call &&
        row.rule === rule &&
        row.session_id === session_id &&
        row.target === target &&
        row.shadow === shadow,
    )
}

interface LogEnd {
  end: ChainEnd
  file: string | undefined
  /** Why the log does not match its head. */
  gap?: string
}

const findEnd = async (home: SecurityHome): Promise<LogEnd> => {
  const head = readHead(home)
  if (head.known !== undefined) {
    const { file, bytes } = head.known
    if (sizeOf(join(home.security, file)) === bytes) return { end: head.known, file }
  }
  const { end, file } = await readEnd(home)
  if (head.known === undefined) {
    // A writer that was killed after its first row left no head.
    const isFirst = end.seq <= 1 && head.fault === undefined
    const why = head.fault ?? 'the head of the security log is gone; rows may have been cut off'
    return { end, file, ...(isFirst ? {} : { gap: why }) }
  }
  // A writer was killed before it could write the head, so its row is valid.
  if (end.seq > head.known.seq) return { end, file }
  if (end.seq === head.known.seq && end.hash === head.known.hash) return { end, file }
  const gap = `the security log ends with row ${end.seq}, but ${head.known.seq} rows were written`
  return { end: head.known, file: file ?? head.known.file, gap }
}

const readHead = (home: SecurityHome): { known?: SecurityHead; fault?: string } => {
  try {
    const known = readSecurityHead(home)
    return known === undefined ? {} : { known }
  } catch (thrown) {
    if (!(thrown instanceof StewardError)) throw thrown
    return { fault: 'the head of the security log cannot be read; rows may have been cut off' }
  }
}

/** The last row on disk. */
const readEnd = async (home: SecurityHome): Promise<Omit<LogEnd, 'gap'>> => {
  const files = listSecurityFiles(home).filter(({ chained }) => chained)
  for (const { path, name } of files.toReversed()) {
    const { rows } = await readTail(path, { rows: 1 })
    const end = rows[0] === undefined ? undefined : chainEndOf(rows[0].row)
    if (end !== undefined) return { end, file: files.at(-1)?.name ?? name }
  }
  return { end: CHAIN_START, file: files.at(-1)?.name }
}

const describeGap = (reason: string): SecurityEventDraft => ({
  session_id: '',
  host: '',
  tool: 'security-log',
  verdict: 'alert',
  rule: 'builtin:security-log',
  reason,
  target: 'MEMORY/SECURITY',
})

/**
 * Synced before the head is written: otherwise the row could be missing after a power failure.
 * Returns its size.
 */
const syncFile = (path: string): number => {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
    return fstatSync(file).size
  } finally {
    closeSync(file)
  }
}

const sizeOf = (path: string): number | undefined => {
  try {
    return statSync(path).size
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}
