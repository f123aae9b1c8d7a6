import { createReadStream, statSync } from 'node:fs'
import { appendFile, open, rename, rm } from 'node:fs/promises'
import { LIMITS } from '@steward/contract'
import { draftPath } from '../files/drafts.ts'
import { createLineSplitter } from '../logs/line-splitter.ts'
import { parseLine } from '../logs/parse-line.ts'

export interface LogDamage {
  rows: number
  /** Lines that are not JSON objects: torn by a crash, or overwritten. */
  damaged: number
}

/** Longer lines are the file's own affair; they are kept unread. */
const MAX_LINE_BYTES = 64 * LIMITS.eventLineBytes

export const checkLog = async (file: string): Promise<LogDamage> => {
  const found: LogDamage = { rows: 0, damaged: 0 }
  await eachLine(file, async (_, isDamaged) => {
    if (isDamaged) found.damaged++
    else found.rows++
  })
  return found
}

/**
 * Moves the damaged lines of a log to `aside`. Gives back false, with nothing changed, if another
 * process wrote to the log meanwhile.
 */
export const repairLog = async (file: string, aside: string): Promise<boolean> => {
  const { size, mode } = statSync(file)
  const draft = draftPath(file)
  const bad: Buffer[] = []
  try {
    const handle = await open(draft, 'wx', mode & 0o777)
    try {
      await eachLine(file, async (line, isDamaged) => {
        if (isDamaged) bad.push(line)
        else await handle.writeFile(line)
      })
      await handle.sync()
    } finally {
      await handle.close()
    }
    await appendFile(aside, Buffer.concat(bad), { mode: 0o600, flush: true })
    if (statSync(file).size !== size) {
      await rm(aside, { force: true })
      return false
    }
    await rename(draft, file)
    return true
  } finally {
    await rm(draft, { force: true })
  }
}

/** Lines with their breaks. A last line without one was torn. */
const eachLine = async (
  file: string,
  onLine: (line: Buffer, isDamaged: boolean) => Promise<void>,
): Promise<void> => {
  const splitter = createLineSplitter({ maxLineBytes: MAX_LINE_BYTES, offset: 0 })
  let start = 0
  let whole: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file)) {
    whole = Buffer.concat([whole, chunk])
    const offset = start
    for (const { bytes, end } of splitter.push(chunk)) {
      const line = whole.subarray(start - offset, end - offset)
      start = end
      const kind = bytes === undefined ? 'row' : parseLine(bytes).kind
      if (kind !== 'blank') await onLine(line, kind !== 'row')
    }
    whole = whole.subarray(start - offset)
  }
  if (whole.length > 0) await onLine(Buffer.concat([whole, Buffer.from('\n')]), true)
}
