import { parseJson } from '@steward/contract'
import { z } from 'zod'

/** One line of `state/edge/deploys.jsonl`: a worker that was uploaded. */
export const deployRecord = z.object({
  time: z.iso.datetime(),
  account: z.string(),
  /** The directory's name: `a-label-and-rate`. */
  short: z.string(),
  worker: z.string(),
  /** Over what was uploaded. */
  hash: z.string(),
  /** The platform's id of this version, and of the one before it. */
  version: z.string().nullable(),
  previousVersion: z.string().nullable(),
  url: z.string().nullable(),
})
export type DeployRecord = z.infer<typeof deployRecord>

/** Where deploys are remembered. `append` returns once the line is on the disk. */
export interface DeployLedger {
  read: () => Promise<string>
  append: (record: DeployRecord) => Promise<void>
}

export interface LedgerContent {
  /** The latest record of each directory, for one account. */
  latest: Map<string, DeployRecord>
  /** Line numbers that could not be read: a crash may tear the last one. */
  unreadable: number[]
}

export const parseLedger = (text: string, account: string): LedgerContent => {
  const { records, unreadable } = readRecords(text)
  const ours = records.filter((record) => record.account === account)
  return { latest: new Map(ours.map((record) => [record.short, record])), unreadable }
}

/** Where a worker was last seen to answer; the account's own subdomain is known from nothing else here. */
export const findDeployedUrl = (
  text: string,
  worker: string,
  account: string | undefined,
): string | undefined =>
  readRecords(text)
    .records.filter((record) => record.worker === worker && record.url !== null)
    .filter((record) => account === undefined || record.account === account)
    .at(-1)?.url ?? undefined

const readRecords = (text: string): { records: DeployRecord[]; unreadable: number[] } => {
  const records: DeployRecord[] = []
  const unreadable: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const json = parseJson(line, 'a line of the deploy ledger')
    const record = deployRecord.safeParse(json.ok ? json.value : undefined)
    if (record.success) records.push(record.data)
    else unreadable.push(index + 1)
  }
  return { records, unreadable }
}
