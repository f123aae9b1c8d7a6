import { type ItemState, LIMITS, parseDuration } from '@steward/contract'
import type { FlowItem } from './item.ts'
import type { ItemLedger, LedgerRun } from './item-ledger.ts'
import type { LedgerEntry } from './ledger-rows.ts'

export interface ChosenItems {
  found: number
  alreadySeen: number
  /** Items of the source that an earlier run gave up. */
  givenUp: number
  /** Beyond the limit of one run; the next run gets them. */
  postponed: number
  items: FlowItem[]
}

const SETTLED: ReadonlySet<ItemState | undefined> = new Set<ItemState>([
  'delivered',
  'rejected',
  'given-up',
  'filtered',
])

/** Which of these items, unknown to the ledger, an older version's record has as settled. */
export type ReadOlder = (items: readonly string[]) => Promise<{ id: string; state: ItemState }[]>

export interface Choice {
  collects?: boolean
  /** Leaves other open items to other runs. */
  only?: string
  readOlder?: ReadOlder
}

/**
 * The items of this run: those that earlier runs left, then the new ones of the source,
 * deduplicated by identity, up to the limit. New ones are in the ledger afterwards, so that they
 * are not lost if the source drops them.
 */
export const chooseItems = async (
  found: readonly FlowItem[],
  ledger: Pick<ItemLedger, 'lookUpAndOpen' | 'importSettled' | 'add' | 'open'>,
  limit: number,
  run: LedgerRun,
  { collects = false, only, readOlder }: Choice = {},
): Promise<{ chosen: ChosenItems; entries: Map<string, LedgerEntry> }> => {
  const listed = new Map<string, FlowItem>()
  for (const item of found) if (!listed.has(item.id)) listed.set(item.id, item)
  const { states, ...before } = await ledger.lookUpAndOpen([...listed.keys()])
  const unknown = [...listed.keys()].filter((id) => !states.has(id))
  const older = unknown.length === 0 || !readOlder ? [] : await readOlder(unknown)
  if (older.length > 0) await ledger.importSettled(older, run)
  for (const { id, state } of older) states.set(id, { state, error: null })
  const fresh = [...listed.values()].filter(({ id }) => !SETTLED.has(states.get(id)?.state))
  if (fresh.length > 0) await ledger.add(fresh, run)
  const stored = fresh.length === 0 ? before.open : await ledger.open()
  const entries = new Map(stored.map((entry) => [entry.id, entry]))
  const open = [...entries.values()]
    .filter((entry) => isToDo(entry, collects) && (only === undefined || entry.id === only))
    .flatMap((entry) => toItem(entry, listed.get(entry.id)))
  const items = open.slice(0, limit)
  return {
    entries,
    chosen: {
      found: found.length,
      alreadySeen: found.length - fresh.length,
      givenUp: [...states.values()].filter(({ state }) => state === 'given-up').length,
      postponed: open.length - items.length,
      items,
    },
  }
}

/** Whether a run works on an open item itself. Others are in a digest, or are kept for one. */
export const isToDo = ({ digest, output }: LedgerEntry, collects: boolean): boolean =>
  digest === null && !(collects && output !== null)

/** An item as the source has it now, else as stored; neither after an update from an old version. */
const toItem = (
  { id, title, payload, output }: LedgerEntry,
  listed: FlowItem | undefined,
): FlowItem[] => {
  if (listed !== undefined) return [listed]
  if (payload === null && output === null) return []
  return [{ id, title, payload: payload ?? {} }]
}

/** How long a flow's items may fail before they are given up. */
export const giveUpAfterMs = ({
  retry,
}: {
  retry?: { giveUpAfter?: string | undefined } | undefined
}): number => parseDuration(retry?.giveUpAfter ?? '') ?? LIMITS.flowGiveUpMs
