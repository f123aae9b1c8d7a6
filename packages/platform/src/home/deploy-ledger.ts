import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseJson } from '@steward/contract'
import { z } from 'zod'
import { appendJsonLine } from '../files/append-json-line.ts'
import { isNewer, withVersion } from '../files/file-version.ts'
import { readIfPresent } from '../files/read-if-present.ts'
import type { Home } from './home.ts'

const event = z.object({ time: z.iso.datetime(), account: z.string() })

/** One line of `state/edge/deploys.jsonl`: an uploaded worker. */
const deployRecord = event.extend({
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

const kind = z.enum(['kv', 'd1', 'queue', 'bucket'])
export type ResourceKind = z.infer<typeof kind>

/** Another line: a resource that Steward creates. Its id follows in a second line. */
const resourceRecord = event.extend({
  resource: z.object({ kind, name: z.string(), id: z.string().nullable() }),
})
export type ResourceRecord = z.infer<typeof resourceRecord>

/** Another line: a worker or resource that Steward deleted. */
const removalRecord = event.extend({
  removed: z.union([
    z.object({ worker: z.string() }),
    z.object({ resource: z.object({ kind, name: z.string() }) }),
  ]),
})
type RemovalRecord = z.infer<typeof removalRecord>

const ledgerLine = z.union([deployRecord, resourceRecord, removalRecord])

export interface LedgerContent {
  /** Uploads of workers that were not removed since. */
  records: DeployRecord[]
  /** Resources that were created and not deleted since. */
  resources: ResourceRecord[]
  /** Line numbers of unreadable records: a crash may truncate the last one, or a newer Steward wrote them. */
  unreadable: number[]
}

/** The record of every change to an account, `state/edge/deploys.jsonl` in the data home. */
export interface DeployLedger {
  read: () => Promise<LedgerContent>
  /** Resolves once the line is on disk. */
  append: (record: DeployRecord | ResourceRecord | RemovalRecord) => Promise<void>
}

export const openDeployLedger = ({ databases }: Pick<Home, 'databases'>): DeployLedger => {
  const file = join(databases, 'edge', 'deploys.jsonl')
  return {
    read: async () => parseDeployLedger((await readIfPresent(file)) ?? ''),
    append: async (record) => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await appendJsonLine(file, withVersion(record), { durable: true })
    },
  }
}

export const parseDeployLedger = (text: string): LedgerContent => {
  const content: LedgerContent = { records: [], resources: [], unreadable: [] }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const json = parseJson(line, 'a line of the deploy ledger')
    const parsed = ledgerLine.safeParse(json.ok && !isNewer(json.value) ? json.value : undefined)
    if (!parsed.success) content.unreadable.push(index + 1)
    else if ('resource' in parsed.data) keepResource(content, parsed.data)
    else if ('removed' in parsed.data) forget(content, parsed.data)
    else content.records.push(parsed.data)
  }
  return content
}

type Named = { account: string; resource: { kind: ResourceKind; name: string } }

const isSame = (a: Named, b: Named): boolean =>
  a.account === b.account &&
  a.resource.kind === b.resource.kind &&
  a.resource.name === b.resource.name

const keepResource = (content: LedgerContent, record: ResourceRecord): void => {
  content.resources = [...content.resources.filter((each) => !isSame(each, record)), record]
}

const forget = (content: LedgerContent, { account, removed }: RemovalRecord): void => {
  if ('worker' in removed) {
    content.records = content.records.filter(
      (each) => each.account !== account || each.worker !== removed.worker,
    )
    return
  }
  const gone = { account, resource: removed.resource }
  content.resources = content.resources.filter((each) => !isSame(each, gone))
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

/** The addresses that workers were last deployed to; no other local file knows the account's subdomain. */
export const deployedUrls = (
  { records }: LedgerContent,
  account: string | undefined,
): Map<string, string> =>
  new Map(
    records
      .filter((record) => account === undefined || record.account === account)
      .flatMap(({ worker, url }) => (url === null ? [] : [[worker, url] as const])),
  )
