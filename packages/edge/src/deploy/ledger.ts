import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseJson } from '@steward/contract'
import { appendJsonLine, type Home, readIfPresent } from '@steward/platform'
import { z } from 'zod'

/** One line of `state/edge/deploys.jsonl`: an uploaded worker. */
const deployRecord = z.object({
  time: z.iso.datetime(),
  account: z.string(),
  /** The directory's name: `a-label-and-rate`. */
  short: z.string(),
  worker: z.string(),
  /** Hash of the uploaded files. */
  hash: z.string(),
  /** The platform's id of this version, and of the one before it. */
  version: z.string().nullable(),
  previousVersion: z.string().nullable(),
  url: z.string().nullable(),
})
export type DeployRecord = z.infer<typeof deployRecord>

export interface LedgerContent {
  records: DeployRecord[]
  /** Line numbers of unreadable records: a crash may truncate the last one. */
  unreadable: number[]
}

/** The record of every upload, `state/edge/deploys.jsonl` in the data home. */
export interface DeployLedger {
  read: () => Promise<LedgerContent>
  /** Resolves once the line is on disk. */
  append: (record: DeployRecord) => Promise<void>
}

export const openLedger = ({ databases }: Pick<Home, 'databases'>): DeployLedger => {
  const file = join(databases, 'edge', 'deploys.jsonl')
  return {
    read: async () => parseLedger((await readIfPresent(file)) ?? ''),
    append: async (record) => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await appendJsonLine(file, record, { durable: true })
    },
  }
}

export const parseLedger = (text: string): LedgerContent => {
  const content: LedgerContent = { records: [], unreadable: [] }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const json = parseJson(line, 'a line of the deploy ledger')
    const record = deployRecord.safeParse(json.ok ? json.value : undefined)
    if (record.success) content.records.push(record.data)
    else content.unreadable.push(index + 1)
  }
  return content
}

/** The latest record of each directory, for one account. */
export const latestDeploys = (
  { records }: LedgerContent,
  account: string,
): Map<string, DeployRecord> =>
  new Map(
    records
      .filter((record) => record.account === account)
      .map((record) => [record.short, record] as const),
  )

/** The address a worker was last deployed to; no other local file knows the account's subdomain. */
export const findDeployedUrl = (
  { records }: LedgerContent,
  worker: string,
  account: string | undefined,
): string | undefined =>
  records
    .filter((record) => record.worker === worker && record.url !== null)
    .findLast((record) => account === undefined || record.account === account)?.url ?? undefined
