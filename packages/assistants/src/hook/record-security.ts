import { type HostEvent, reasonOf, type SecurityEventDraft } from '@steward/contract'
import { appendSecurityEvent } from '@steward/platform'
import { callAt } from '../guard/call-at.ts'
import type { GuardPorts } from './hook-ports.ts'
import { postToDaemon } from './post-to-daemon.ts'

/** Short, because the assistant waits for the hook. */
const LOG_WAIT_MS = 1000

/**
 * Records a verdict in the security log once, with the time at which it happened. A running daemon
 * writes it and notifies the person. One that does not confirm it may never write it: then the hook
 * does, and a daemon that goes on later finds the row by its call.
 */
export const recordSecurity = async (
  event: HostEvent,
  drafts: readonly SecurityEventDraft[],
  { home, payload, redactor, isDaemonUp, report, startedAtMs }: GuardPorts,
): Promise<void> => {
  const timestamp = new Date(startedAtMs).toISOString()
  try {
    if (isDaemonUp()) {
      const path = `/hooks/security-guard?host=${event.host}&at=${timestamp}`
      if (await postToDaemon(home, path, JSON.stringify(payload))) return
    }
    for (const draft of drafts) {
      const named = { call: callAt(event, timestamp), timestamp, ...draft }
      await appendSecurityEvent(home, named, { redactor, waitMs: LOG_WAIT_MS })
    }
  } catch (thrown) {
    report(`a security event was not written: ${reasonOf(thrown)}`)
  }
}
