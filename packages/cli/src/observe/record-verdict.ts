import { join } from 'node:path'
import {
  OBSERVER_VERDICTS_FILE,
  type ObserverVerdict,
  observerVerdict,
  reasonOf,
} from '@steward/contract'
import { appendLogRow, type Home, type Redactor, writeHalt } from '@steward/platform'
import type { TellPerson } from './tell-person.ts'

export interface RecordPorts {
  home: Home
  redactor: Redactor
  tell: TellPerson
  /** Takes what went wrong. */
  warn: (message: string) => void
}

export type RecordVerdict = (verdict: ObserverVerdict) => Promise<ObserverVerdict>

/**
 * Halts the session when the verdict says so, puts the verdict on disk, and tells the person what
 * they should know. One of these that fails does not keep the others from being done.
 */
export const createRecordVerdict =
  ({ home, redactor, tell, warn }: RecordPorts): RecordVerdict =>
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
      await attempt('the person could not be told', () => tell(verdict))
    }
    return verdict
  }

const halt = async (
  home: Home,
  { session_id, reason, timestamp: at }: ObserverVerdict,
): Promise<void> => {
  const written = await writeHalt(home, { session_id, reason, at, by: 'observers' })
  if (!written.ok) throw written.error
}
