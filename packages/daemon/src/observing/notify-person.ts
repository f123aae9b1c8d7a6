import { readFile } from 'node:fs/promises'
import { type ObserverVerdict, reasonOf } from '@steward/contract'
import { createDaemonClient } from '@steward/contract/client'
import type { Notifier } from '@steward/notify'
import { findDaemon, type Home } from '@steward/platform'

export type NotifyPerson = (verdict: ObserverVerdict) => Promise<void>

export interface NotifyPersonPorts {
  home: Home
  command: string
  say: (line: string) => void
  withNotifier: (use: (notifier: Notifier) => Promise<void>) => Promise<void>
}

const ANSWER_MS = 5000
const REASON_CHARS = 400
const TITLE = 'Observers'

/**
 * Sends a security notice: through a running daemon, which also speaks it, or directly to the
 * channels.
 */
export const createNotifyPerson =
  ({ home, command, say, withNotifier }: NotifyPersonPorts): NotifyPerson =>
  async (verdict) => {
    const message = describe(verdict, command)
    if (await notifyDaemon(home, message, verdict.session_id, say)) return
    await withNotifier(async (notifier) => {
      const sessionId = verdict.session_id
      const outcome = await notifier.notify({ message, title: TITLE, kind: 'security', sessionId })
      if (!outcome.stored) say(`not notified: ${outcome.reason ?? ''}`)
      await notifier.flush()
    })
  }

const describe = (
  { decision, reason, session_id: session }: ObserverVerdict,
  command: string,
): string => {
  const why = reason.length <= REASON_CHARS ? reason : `${reason.slice(0, REASON_CHARS - 1)}…`
  if (decision !== 'halt') return `Observers escalated session ${session}. ${why}`
  return `Observers halted session ${session}. ${why}. Lift it with: ${command} observe lift ${session}`
}

/** False when no daemon accepted the notice. */
const notifyDaemon = async (
  home: Home,
  message: string,
  session: string,
  say: (line: string) => void,
): Promise<boolean> => {
  const daemon = await findDaemon(home)
  if (daemon === undefined) return false
  try {
    const client = createDaemonClient({
      base: daemon.address,
      fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) }),
      token: (await readFile(home.token, 'utf8')).trim(),
    })
    const body = { message, title: TITLE, kind: 'security' as const, session_id: session }
    await client.call('notify', { body })
    return true
  } catch (thrown) {
    say(`the daemon did not accept the notice: ${reasonOf(thrown)}`)
    return false
  }
}
