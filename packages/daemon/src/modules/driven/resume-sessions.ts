import { type DrivenSession, reasonOf } from '@steward/contract'
import { endGroup, readStartTime } from '@steward/platform'
import { MOST_RESUMES } from './continue-turn.ts'
import type { DrivenStore } from './driven-store.ts'
import type { DrivenPorts } from './ports.ts'

/** Resumes work that the end of an earlier daemon cut off. */
export interface SessionResuming {
  /** Returns before they are resumed: assistants take seconds to start. */
  begin: () => void
  /** Whether a session is about to be resumed. */
  isDue: (id: string) => boolean
}

interface ResumePorts extends Pick<DrivenPorts, 'settings' | 'notices' | 'now'> {
  store: Pick<DrivenStore, 'left' | 'save'>
  /** Opens its program and continues its turn; `onOpened` is called in between. */
  continueTurn: (session: DrivenSession, onOpened: () => Promise<unknown>) => Promise<void>
  onResumed: () => void
}

export const createSessionResuming = (ports: ResumePorts): SessionResuming => {
  const { store, now, settings, notices } = ports
  const due = new Set<string>()

  const resume = async (session: DrivenSession): Promise<void> => {
    const name = `${session.assistant} in ${session.project.split('/').at(-1)}`
    const report = (message: string): Promise<unknown> =>
      notices.send({ kind: 'error', title: name, message, session_id: session.id })
    try {
      if (!settings().sessions.resume) throw new Error('sessions.resume is off')
      if (session.resumed >= MOST_RESUMES)
        throw new Error(`it was already resumed ${MOST_RESUMES} times`)
      await ports.continueTurn({ ...session, resumed: session.resumed + 1 }, () =>
        report(`${name} was interrupted when the daemon ended, and continues now`),
      )
    } catch (thrown) {
      const reason = `interrupted when the daemon ended, not resumed: ${reasonOf(thrown)}`
      const changedAt = new Date(now()).toISOString()
      store.save({ ...session, state: 'interrupted', reason, changedAt })
      await report(`${name}: ${reason}`)
    } finally {
      due.delete(session.id)
      ports.onResumed()
    }
  }

  return {
    isDue: (id) => due.has(id),
    begin: () => {
      const cutOff = store.left()
      for (const { process } of cutOff) {
        // A process of a killed daemon would work on beside the new one.
        if (process !== undefined && readStartTime(process.pid) === process.startTime) {
          endGroup(process.pid)
        }
      }
      const unfinished = cutOff
        .map(({ session }) => session)
        .filter(({ state }) => state === 'working' || state === 'starting')
      for (const { id } of unfinished) due.add(id)
      void (async () => {
        // One after the other, to spare the machine.
        for (const session of unfinished) await resume(session)
      })()
    },
  }
}
