import { type FlowEntry, type FlowRunSummary, StewardError } from '@steward/contract'
import { type FlowStateEntry, isFailedRun } from '@steward/engine'
import { redactorOf } from '../redact.ts'
import type { Invocation } from './invocation.ts'
import { openLedger } from './open-ledger.ts'

/** The optional secret with the address of a topic of ntfy or of a compatible server. */
export const NOTIFY_SECRET = 'NOTIFY_URL'

/**
 * Notifies about items that were given up, and about a flow that has begun to fail or to be blocked,
 * as the runner does on a person's machine. Given-up items are named once.
 */
export const notifyOfRun = async (
  flow: FlowEntry,
  summary: FlowRunSummary,
  before: FlowStateEntry | undefined,
  invocation: Invocation,
): Promise<void> => {
  const url = invocation.secret(NOTIFY_SECRET)
  if (url === undefined) return
  const send = async (message: string): Promise<void> => {
    const body = redactorOf(invocation.env).redactText(message).value
    const headers = { title: flow.name, priority: 'high' }
    const { ok, status } = await invocation.trustedFetch(url, { method: 'POST', headers, body })
    if (ok) return
    const reason = `the notification was answered with status ${status}`
    throw new StewardError('upstream_failed', { service: NOTIFY_SECRET, reason })
  }
  if (summary.items.givenUp > 0) {
    const ledger = await openLedger(flow.id, invocation)
    const lost = await ledger.unreported()
    const [first] = lost
    if (first !== undefined) {
      const items = lost.length === 1 ? `"${first.title ?? first.id}"` : `${lost.length} items`
      const reason = first.error?.message ?? 'unknown error'
      await send(`${flow.name} gave up ${items}: ${reason}. Try again with POST /retry.`)
      await ledger.report(lost.map(({ id }) => id))
      return
    }
  }
  if (!isFailedRun(summary)) return
  const isBlocked = summary.blocked !== null
  const wasFailing = (before?.consecutiveFailures ?? 0) > 0
  if (wasFailing && (!isBlocked || before?.blocked?.code === summary.blocked?.code)) return
  const state = isBlocked ? 'is blocked' : 'delivered nothing'
  await send(`${flow.name} ${state}: ${summary.reason}`)
}
