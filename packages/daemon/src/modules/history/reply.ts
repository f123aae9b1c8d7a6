import { isHostName, resumeSession } from '@steward/assistants'
import { type SessionSummary, StewardError } from '@steward/contract'
import { appendSecurityEvent } from '@steward/platform'
import type { Replying } from '../../ports.ts'
import type { HistoryPorts } from './ports.ts'

/** An assistant that has not failed after this time is taken to work on the reply. */
const STARTED_MS = 30_000

type ReplyPorts = Pick<
  HistoryPorts,
  'home' | 'bus' | 'log' | 'now' | 'setTimer' | 'redactor' | 'processEnvironment' | 'asking'
>

/**
 * Text replies to sessions: to a finished turn that its hook keeps open, else to sessions that no
 * terminal has open. The assistant would continue another copy of an open one, and the person at
 * the terminal would not see it. Resolves when the assistant has the text; rejects with the reason
 * if it does not take it.
 */
export const createReplies = (ports: ReplyPorts): Pick<Replying, 'reply'> => {
  const { home, bus, log, now, setTimer, redactor, processEnvironment } = ports
  const continued = new Set<string>()

  const record = async ({ id, host, name }: SessionSummary): Promise<void> => {
    const draft = {
      session_id: id,
      host,
      tool: 'reply',
      verdict: 'pass' as const,
      rule: 'answer',
      reason: 'continued with a reply by the owner of the data home',
      target: name,
    }
    await appendSecurityEvent(home, draft, { redactor: redactor(), now })
    bus.publish('live.changed', { topics: ['security'] })
  }

  const resume = async (session: SessionSummary, text: string): Promise<void> => {
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
  return {
    reply: async (session, text) => {
      // Attention writes the answer to the security log.
      if (await ports.asking.reply(session.id, text)) return 'reply'
      await resume(session, text)
      await record(session)
      return 'resume'
    },
  }
}

const explainObstacle = (session: SessionSummary, isContinued: boolean): string | undefined => {
  const { status, machine, host } = session
  if (machine !== null) return `it runs on ${machine}`
  if (isContinued) return 'it works on an earlier reply'
  if (status === 'ended') return undefined
  if (status === 'working') return 'it is working; send the message when it is done'
  if (status === 'waiting') return 'it waits for an answer; see `steward answer`'
  return `it is open in the terminal of ${host || 'its assistant'}; write there, or end it there first`
}
