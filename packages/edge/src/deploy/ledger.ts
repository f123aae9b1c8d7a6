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
  const latest = new Map<string, DeployRecord>()
  const unreadable: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const json = parseJson(line, 'a line of the deploy ledger')
    const record = deployRecord.safeParse(json.ok ? json.value : undefined)
    if (!record.success) unreadable.push(index + 1)
    else if (record.data.account === account) latest.set(record.data.short, record.data)
  }
  return { latest, unreadable }
}
