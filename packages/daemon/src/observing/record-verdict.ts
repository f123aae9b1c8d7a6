import { join } from 'node:path'
import {
  OBSERVER_VERDICTS_FILE,
  type ObserverVerdict,
  observerVerdict,
  reasonOf,
  unwrap,
} from '@steward/contract'
import { appendLogRow, type Home, type Redactor, writeHalt } from '@steward/platform'
import type { NotifyPerson } from './notify-person.ts'

export interface RecordPorts {
  home: Home
  redactor: Redactor
  notify: NotifyPerson
  /** Reports a problem. */
  warn: (message: string) => void
}

export type RecordVerdict = (verdict: ObserverVerdict) => Promise<ObserverVerdict>

/**
 * Halts the session if the verdict requires it, records the verdict, and notifies the person of a
 * halt or an escalation. A failing step does not prevent the others.
 */
export const createRecordVerdict =
  ({ home, redactor, notify, warn }: RecordPorts): RecordVerdict =>
  async (given) => {
    const verdict = observerVerdict.parse(redactor.redact(given).value)
    const attempt = async (what: string, work: () => unknown): Promise<void> => {
      try {
        await work()
      } catch (thrown) {
        warn(`${what}: ${reasonOf(thrown)}`)
      }
    }
    if (verdict.decision === 'halt') {
      await attempt('the session could not be halted', () => halt(home, verdict))
    }
    await attempt('the verdict could not be recorded', () =>
      appendLogRow(join(home.root, OBSERVER_VERDICTS_FILE), verdict),
    )
    if (verdict.decision === 'halt' || verdict.escalated) {
      await attempt('the person could not be notified', () => notify(verdict))
    }
    return verdict
  }

const halt = async (
  home: Home,
  { session_id, reason, timestamp: at }: ObserverVerdict,
): Promise<void> => {
  unwrap(await writeHalt(home, { session_id, reason, at, by: 'observers' }))
}
