import type { UsageLedger } from '@steward/assistants'
import type { HostedUsage } from '../../ports.ts'

const PAGE = 500
const NANO = 1_000_000_000
/**
 * Several servers write to one store, each with its own clock, and a transaction may end later than
 * one that began after it. What is read again counts once.
 */
const OVERLAP_MS = 60_000

/**
 * Stores the calls of hosted agents whose store is not a file of this machine; a file is read like
 * the records of an assistant.
 */
export const takeHostedCalls = async (ledger: UsageLedger, hosted: HostedUsage): Promise<void> => {
  const store = await hosted.store()
  if (store === undefined) return
  const known = Number(ledger.fileState(store.place)?.mark.memory.atMs ?? 0)
  let from = { atMs: Math.max(0, known - OVERLAP_MS), id: '' }
  for (;;) {
    const found = await store.callsAfter(from, PAGE)
    const last = found.at(-1)
    if (last === undefined) return
    from = { atMs: last.atMs, id: last.id }
    const calls = found.map(({ id, sessionId, title, model, atMs, tokens, nanoDollars }) => ({
      id,
      session: sessionId,
      ...(title === null ? {} : { title }),
      model,
      atMs,
      tokens,
      computedUsd: nanoDollars === null ? null : nanoDollars / NANO,
    }))
    const mark = { offset: 0, memory: { atMs: Math.max(known, last.atMs) } }
    const batch = { calls, totals: [], mark }
    ledger.add([{ assistant: 'hosted', path: store.place, stamp: '', batch }])
  }
}
