import { join } from 'node:path'
import type { UsageLedger } from '@steward/assistants'
import { STATUS_SUMMARY_FILE, type StatusSummary } from '@steward/contract'
import { coalesce, type Home, writeStateFile } from '@steward/platform'
import type { Asking } from '../../ports.ts'

export interface SummaryPorts {
  home: Home
  now: () => number
  asking: Pick<Asking, 'countOpen'>
}

const DAY_MS = 86_400_000
const MOST_SESSIONS = 200

/** Writes the file that `steward statusline` reads, when something in it has changed. */
export const createSummaryWriter = (
  ledger: UsageLedger,
  { home, now, asking }: SummaryPorts,
): (() => Promise<void>) => {
  let last = ''
  return coalesce(async () => {
    const midnight = new Date(now())
    midnight.setHours(0, 0, 0, 0)
    const recent = ledger.sumSince({ sinceMs: now() - DAY_MS })
    const shown = recent.slice(0, MOST_SESSIONS)
    const today = ledger.sumSince({ sinceMs: midnight.getTime() })
    const summary: StatusSummary = {
      day: midnight.toISOString(),
      today_usd: today.reduce((sum, { usd }) => sum + usd, 0),
      today_is_partial: today.some(({ isPartial }) => isPartial),
      sessions: Object.fromEntries(shown.map(({ session, usd }) => [session, usd])),
      partial_sessions: shown.filter(({ isPartial }) => isPartial).map(({ session }) => session),
      windows: ledger.windows(now()).map(({ assistant, kind, used_percent, resets_at }) => ({
        assistant,
        kind,
        used_percent,
        resets_at,
      })),
      waiting: await asking.countOpen(),
    }
    const text = JSON.stringify(summary)
    if (text === last) return
    await writeStateFile(join(home.root, STATUS_SUMMARY_FILE), summary)
    last = text
  })
}
