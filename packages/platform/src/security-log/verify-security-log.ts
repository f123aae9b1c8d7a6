import { createReadStream } from 'node:fs'
import { LIMITS, type SecurityLogCheck, StewardError } from '@steward/contract'
import { createLineSplitter } from '../logs/line-splitter.ts'
import { parseLine } from '../logs/parse-line.ts'
import { readSecurityHead, type SecurityHead } from './security-head.ts'
import { listSecurityFiles, type SecurityHome, type SecurityLogFile } from './security-log-files.ts'
import { CHAIN_START, type ChainEnd, chainEndOf, findRowFault } from './security-row.ts'

type Broken = NonNullable<SecurityLogCheck['firstBroken']>

/**
 * Verifies the whole chain: changed, removed, inserted, swapped or truncated rows. It cannot detect
 * someone who rewrites all later rows and the head with new hashes, because a process with the
 * person's rights can change everything on this machine.
 */
export const verifySecurityLog = async (home: SecurityHome): Promise<SecurityLogCheck> => {
  const head = readHead(home)
  const walk: Walk = { end: CHAIN_START, rows: 0, torn: 0, atHead: undefined }
  let firstBroken: Broken | undefined
  let lastFile = 'head.json'
  for (const file of listSecurityFiles(home).filter(({ chained }) => chained)) {
    lastFile = file.name
    for await (const { line, number } of readLines(file)) {
      const parsed = line === undefined ? undefined : parseLine(line)
      if (parsed?.kind === 'blank') continue
      if (parsed?.kind !== 'row') {
        walk.torn++
        continue
      }
      walk.rows++
      const why =
        findRowFault(line?.toString() ?? '', parsed.row) ?? findLinkFault(parsed.row, walk.end)
      if (why !== undefined) firstBroken ??= { file: file.name, line: number, why }
      walk.end = chainEndOf(parsed.row) ?? walk.end
      if (walk.end.seq === head.known?.seq) walk.atHead = walk.end
    }
  }
  firstBroken ??= findHeadFault(head, walk, lastFile)
  const { rows, torn } = walk
  return { ok: firstBroken === undefined, rows, torn, ...(firstBroken ? { firstBroken } : {}) }
}

interface Walk {
  end: ChainEnd
  rows: number
  torn: number
  /** The row that the head refers to. */
  atHead: ChainEnd | undefined
}

interface KnownHead {
  known?: SecurityHead
  fault?: string
}

const readHead = (home: SecurityHome): KnownHead => {
  try {
    const known = readSecurityHead(home)
    return known === undefined ? {} : { known }
  } catch (thrown) {
    if (!(thrown instanceof StewardError)) throw thrown
    return { fault: 'it cannot be read: whether rows are missing at the end is not known' }
  }
}

const findLinkFault = (
  row: Readonly<Record<string, unknown>>,
  end: ChainEnd,
): string | undefined => {
  if (row.seq === end.seq + 1 && row.prev === end.hash) return undefined
  if (row.seq === end.seq + 1) return 'it does not follow the previous row: that one was replaced'
  const missing = Number(row.seq) - end.seq - 1
  return missing > 0
    ? `${missing === 1 ? 'a row is' : `${missing} rows are`} missing before row ${row.seq}`
    : `row ${row.seq} stands after row ${end.seq}: it was moved or inserted`
}

const findHeadFault = (
  { known, fault }: KnownHead,
  { end, atHead }: Pick<Walk, 'end' | 'atHead'>,
  file: string,
): Broken | undefined => {
  const at = { file: 'head.json', line: 1 }
  if (fault !== undefined) return { ...at, why: fault }
  if (known === undefined) {
    if (end.seq <= 1) return undefined
    return { ...at, why: 'it is gone: whether rows are missing at the end is not known' }
  }
  if (end.seq < known.seq) {
    return {
      file,
      line: 0,
      why: `it was cut: row ${end.seq} is the last, ${known.seq} were written`,
    }
  }
  return atHead?.hash === known.hash
    ? undefined
    : { ...at, why: `row ${known.seq} is not the one that was written` }
}

interface NumberedLine {
  /** Undefined if it is too long. */
  line: Buffer | undefined
  number: number
}

async function* readLines({ path }: SecurityLogFile): AsyncGenerator<NumberedLine> {
  const splitter = createLineSplitter({ maxLineBytes: LIMITS.eventLineBytes, offset: 0 })
  let number = 0
  for await (const chunk of createReadStream(path)) {
    if (!Buffer.isBuffer(chunk)) continue
    for (const { bytes } of splitter.push(chunk)) yield { line: bytes, number: ++number }
  }
  if (splitter.pendingBytes() > 0) yield { line: undefined, number: number + 1 }
}
