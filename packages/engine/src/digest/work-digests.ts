import { type FlowDigest, type FlowEntry, LIMITS, type StewardError } from '@steward/contract'
import type { FlowItem } from '../flow/item.ts'
import type { ItemLedger, LedgerRun } from '../flow/item-ledger.ts'
import type { LedgerEntry } from '../flow/ledger-rows.ts'
import type { ItemOutcome } from '../flow/summary.ts'
import type { WorkedItems } from '../flow/work-ports.ts'
import { dayOf } from '../schedule/zoned-time.ts'
import { windowOf } from './digest-window.ts'
import { type DigestItem, orderItems, renderDigest } from './render-digest.ts'

export interface DigestPorts {
  ledger: Pick<
    ItemLedger,
    'open' | 'lookUp' | 'addDigest' | 'followDigests' | 'changeAll' | 'toStorable'
  >
  run: () => LedgerRun
  /** For days and weeks, unless the flow's schedule has its own. */
  zone: string
  /** Delivers digests; they are items whose output is stored. */
  deliver: (
    digests: readonly FlowItem[],
    entries: ReadonlyMap<string, LedgerEntry>,
  ) => Promise<WorkedItems>
}

/** Ids of digests; no source has such ids. */
const DIGEST_ID = 'steward:digest:'

/**
 * Delivers collected items together. The members and the text of a digest are stored before its
 * delivery, so that a run that dies neither loses an item nor sends a digest twice: the next run
 * delivers the same text. No new digest is made while an earlier one waits for its destination.
 */
export const workDigests = async (
  flow: Pick<FlowEntry, 'name' | 'schedule'> & { digest: FlowDigest },
  ports: DigestPorts,
): Promise<WorkedItems> => {
  const { ledger, run, deliver } = ports
  await ledger.followDigests(run())
  let open = await ledger.open()
  const outcomes: ItemOutcome[] = []
  let blocked: StewardError | undefined
  let isWaiting = false
  const send = async (digests: readonly LedgerEntry[]): Promise<void> => {
    if (digests.length === 0) return
    const entries = new Map(digests.map((digest) => [digest.id, digest]))
    const items = digests.map(({ id, title }) => ({ id, title, payload: {} }))
    const worked = await deliver(items, entries)
    blocked ??= worked.blocked
    for (const [index, digest] of digests.entries()) {
      const outcome = worked.outcomes[index]
      const members = open.filter((entry) => entry.digest === digest.id)
      if (outcome === undefined) continue
      outcomes.push(...members.map(() => outcome))
      isWaiting ||= outcome.kind === 'waiting' || outcome.kind === 'postponed'
    }
    await ledger.followDigests(run())
  }

  const late = open.filter(isDigest)
  await send(late)
  if (late.length > 0) open = await ledger.open()
  const pending = open.flatMap(toPending)
  const made = isWaiting ? undefined : await makeDigest(flow, pending, ports)
  if (made !== undefined) {
    const members = new Set(made.items)
    open = open.map((entry) =>
      members.has(entry.id) ? { ...entry, digest: made.entry.id } : entry,
    )
    await send([made.entry])
    outcomes.push(...made.dropped.map(() => ({ kind: 'filtered' }) as const))
  }
  const gone = new Set([...(made?.items ?? []), ...(made?.dropped ?? [])])
  const kept = pending.filter(({ id }) => !gone.has(id))
  outcomes.push(...kept.map(() => ({ kind: 'collected' }) as const))
  return { outcomes, blocked }
}

const isDigest = ({ id }: Pick<LedgerEntry, 'id'>): boolean => id.startsWith(DIGEST_ID)

type Pending = DigestItem & Pick<LedgerEntry, 'changedAtMs'>

/** An item that no digest has yet. */
const toPending = (entry: LedgerEntry): Pending[] => {
  const { id, title, changedAtMs, digest, output } = entry
  if (digest !== null || output === null || isDigest(entry)) return []
  return [{ id, title, changedAtMs, output }]
}

interface MadeDigest {
  entry: LedgerEntry
  items: string[]
  dropped: string[]
}

/** Stores the digest of this run or of the windows that ended; undefined if none is due. */
const makeDigest = async (
  { name, schedule, digest }: Parameters<typeof workDigests>[0],
  pending: readonly Pending[],
  { ledger, run, zone: defaultZone }: DigestPorts,
): Promise<MadeDigest | undefined> => {
  const { runId, atMs } = run()
  const zone = schedule.timezone ?? defaultZone
  const window = windowOf(digest, atMs, zone)
  const due =
    window === undefined
      ? pending
      : pending.filter(({ changedAtMs }) => windowOf(digest, changedAtMs, zone) !== window)
  if (due.length === 0) return undefined
  const id = `${DIGEST_ID}${window ?? runId}`
  if ((await ledger.lookUp([id])).has(id)) return undefined
  const ordered = orderItems(due, digest.order)
  const facts = { flow: name, date: dayOf(atMs, zone), total: due.length }
  const wanted = Math.min(digest.maxItems ?? LIMITS.digestItems, ordered.length)
  for (let count = wanted; ; count = Math.floor(count / 2)) {
    const chosen = ordered.slice(0, count)
    const { title, output: whole } = renderDigest(digest, chosen, facts)
    const output = ledger.toStorable(whole)
    // One that is too long for the database is sent with fewer items; the rest follows.
    if (output !== whole && count > 1) continue
    if (output === undefined) return undefined
    const items = chosen.map((item) => item.id)
    if (!(await ledger.addDigest({ id, title, output, items }, run()))) return undefined
    const dropped = digest.rest === 'drop' ? ordered.slice(wanted).map((item) => item.id) : []
    if (dropped.length > 0) await ledger.changeAll(dropped, { state: 'filtered' }, run())
    return { entry: { ...NEW_ENTRY, id, title, output, changedAtMs: atMs }, items, dropped }
  }
}

const NEW_ENTRY = {
  state: 'processed',
  attempts: 0,
  failingSinceMs: null,
  nextAttemptMs: null,
  notBeforeMs: null,
  payload: null,
  error: null,
  digest: null,
  deliveries: new Map(),
} as const
