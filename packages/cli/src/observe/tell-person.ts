import { readFile } from 'node:fs/promises'
import { type ObserverVerdict, reasonOf } from '@steward/contract'
import { createDaemonClient } from '@steward/contract/client'
import { findDaemon, type Home } from '@steward/platform'
import type { Io } from '../io.ts'
import { withNotifier } from '../notify/open-notifier.ts'
import { cleanText } from '../output/clean-text.ts'
import { COMMAND } from '../setup/command-name.ts'

export type TellPerson = (verdict: ObserverVerdict) => Promise<void>

const ANSWER_MS = 5000
const REASON_CHARS = 400
const TITLE = 'Observers'

/** Tells the person as a security notice: by the daemon where one runs, which speaks it too, else straight to the channels. */
export const createTellPerson =
  (io: Io, home: Home): TellPerson =>
  async (verdict) => {
    const message = describe(verdict)
    if (await tellDaemon(io, home, message, verdict.session_id)) return
    await withNotifier(io, async (notifier) => {
      const sessionId = verdict.session_id
      const outcome = await notifier.notify({ message, title: TITLE, kind: 'security', sessionId })
      if (!outcome.stored) io.err.write(`not told: ${cleanText(outcome.reason ?? '')}\n`)
      await notifier.flush()
    })
  }

const describe = ({ decision, reason, session_id: session }: ObserverVerdict): string => {
  const why = reason.length <= REASON_CHARS ? reason : `${reason.slice(0, REASON_CHARS - 1)}…`
  if (decision !== 'halt') return `Observers have doubts about session ${session}. ${why}`
  return `Observers halted session ${session}. ${why}. Lift it with: ${COMMAND} observe lift ${session}`
}

/** False when no daemon took it; then it goes another way. */
const tellDaemon = async (
  io: Io,
  home: Home,
  message: string,
  session: string,
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
    io.err.write(`the daemon did not take the notice: ${cleanText(reasonOf(thrown))}\n`)
    return false
  }
}
