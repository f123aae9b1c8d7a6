import { isHostName, resumeSession } from '@steward/assistants'
import { type SessionSummary, StewardError } from '@steward/contract'
import type { HistoryPorts } from './ports.ts'

/** An assistant that has not failed after this time is taken to work on the reply. */
const STARTED_MS = 30_000

export interface Replies {
  /**
   * Continues a session that has ended. Resolves when the assistant has the text; rejects with the
   * reason if it does not take it.
   */
  reply: (session: SessionSummary, text: string) => Promise<void>
}

/**
 * Text replies to sessions that no terminal has open. The assistant would continue another copy of
 * an open one, and the person at the terminal would not see it.
 */
export const createReplies = (
  ports: Pick<HistoryPorts, 'bus' | 'log' | 'setTimer' | 'processEnvironment'>,
): Replies => {
  const { bus, log, setTimer, processEnvironment } = ports
  const continued = new Set<string>()

  const reply = async (session: SessionSummary, text: string): Promise<void> => {
    const { id, host, project } = session
    const obstacle = explainObstacle(session, continued.has(id))
    if (obstacle !== undefined || !isHostName(host) || project === null) {
      const reason = obstacle ?? 'its assistant and its folder are not known'
      throw new StewardError('session_elsewhere', { id, reason })
    }
    const started = Promise.withResolvers<void>()
    const endTimer = setTimer(STARTED_MS, started.resolve)
    const unsubscribe = bus.subscribe('events.arrived', ({ events }) => {
      if (events.some((event) => event.session_id === id && event.type === 'user_prompt')) {
        started.resolve()
      }
    })
    continued.add(id)
    const ended = resumeSession({ id, host, cwd: project }, text, { env: processEnvironment })
    ended.then(started.resolve, (thrown: Error) => {
      log.warn(`history: a reply to session ${id} failed: ${thrown.message}`)
      started.reject(thrown)
    })
    try {
      await started.promise
    } finally {
      endTimer()
      unsubscribe()
      void ended.catch(() => undefined).finally(() => continued.delete(id))
    }
  }
  return { reply }
}

const explainObstacle = (session: SessionSummary, isContinued: boolean): string | undefined => {
  const { status, machine, host } = session
  if (machine !== null) return `it runs on ${machine}`
  if (isContinued) return 'it works on an earlier reply'
  if (status === 'ended') return undefined
  if (status === 'working') return 'it is working; reply when it is done'
  return `it is open in the terminal of ${host || 'its assistant'}; reply there, or end it there first`
}
