import { stat } from 'node:fs/promises'
import { type HostName, reasonOf } from '@steward/contract'
import { isAbsent } from '@steward/platform'
import { ASSISTANTS } from '../assistants.ts'
import type { UsageLedger } from './usage-ledger.ts'
import type { UsagePlace, UsageSource } from './usage-reader.ts'

export interface ImportPorts {
  place: UsagePlace
  ledger: UsageLedger
  signal?: AbortSignal
  /** Called before each file that has something new. */
  onFile?: (done: number, of: number) => void
}

interface ChangedFile {
  assistant: HostName
  source: UsageSource
  stamp: string
  changedMs: number
}

/**
 * Brings the ledger up to date with the assistants' own records, the newest file first. Files are
 * read in parts, and other work of the process goes on between them. Resolves to what could not be
 * read.
 */
export const importUsage = async ({
  place,
  ledger,
  signal,
  onFile,
}: ImportPorts): Promise<string[]> => {
  const problems: string[] = []
  const changed: ChangedFile[] = []
  for (const { name, loadUsage } of Object.values(ASSISTANTS)) {
    if (loadUsage === undefined) continue
    try {
      const sources = await (await loadUsage()).list(place)
      for (const source of sources) changed.push(...(await findChange(name, source, ledger)))
    } catch (thrown) {
      problems.push(`${name}: ${reasonOf(thrown)}`)
    }
  }
  changed.sort((one, other) => other.changedMs - one.changedMs)
  for (const [index, { assistant, source, stamp }] of changed.entries()) {
    if (signal?.aborted) break
    onFile?.(index, changed.length)
    try {
      let mark = ledger.fileState(source.path)?.mark
      for await (const batch of source.read(mark)) {
        // Only the last part has reached the state that the stamp stands for.
        ledger.add(assistant, source.path, '', batch)
        mark = batch.mark
        if (signal?.aborted) return problems
      }
      const end = mark ?? { offset: 0, memory: {} }
      ledger.add(assistant, source.path, stamp, { calls: [], totals: [], mark: end })
    } catch (thrown) {
      if (!isAbsent(thrown)) problems.push(`${source.path}: ${reasonOf(thrown)}`)
    }
  }
  return problems
}

const findChange = async (
  assistant: HostName,
  source: UsageSource,
  ledger: UsageLedger,
): Promise<ChangedFile[]> => {
  const found = await stampOf(source.path)
  if (found === undefined || ledger.fileState(source.path)?.stamp === found.stamp) return []
  return [{ assistant, source, ...found }]
}

/** Databases are written to a second file first. */
const stampOf = async (path: string): Promise<{ stamp: string; changedMs: number } | undefined> => {
  const stats = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).catch((thrown: unknown) => {
        if (isAbsent(thrown)) return undefined
        throw thrown
      }),
    ),
  )
  const [own, wal] = stats
  if (own === undefined || !own.isFile()) return undefined
  const stamp = [own, wal].map((each) => each && `${each.ino} ${each.size} ${each.mtimeMs}`).join()
  return { stamp, changedMs: Math.max(own.mtimeMs, wal?.mtimeMs ?? 0) }
}
