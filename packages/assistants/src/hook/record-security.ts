import { type HostEvent, reasonOf, type SecurityEventDraft } from '@steward/contract'
import { appendSecurityEvent } from '@steward/platform'
import type { GuardPorts } from './hook-ports.ts'
import { postToDaemon } from './post-to-daemon.ts'

/** Short, because the assistant waits for the hook. */
const LOG_WAIT_MS = 1000

/**
 * Records a verdict in the security log once. A running daemon writes it and notifies the person;
 * it also recognises a call that the assistant asked it about.
 */
export const recordSecurity = async (
  event: HostEvent,
  drafts: readonly SecurityEventDraft[],
  { home, payload, redactor, isDaemonUp, report }: GuardPorts,
): Promise<void> => {
  try {
    if (isDaemonUp()) {
      const path = `/hooks/security-guard?host=${event.host}`
      if (await postToDaemon(home, path, JSON.stringify(payload))) return
    }
    for (const draft of drafts) {
      await appendSecurityEvent(home, draft, { redactor, waitMs: LOG_WAIT_MS })
    }
  } catch (thrown) {
    report(`a security event was not written: ${reasonOf(thrown)}`)
  }
}
