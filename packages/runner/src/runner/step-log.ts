import { LIMITS, type LogLevel, type StepLog } from '@steward/contract'
import { type StartTimer, startSystemTimer } from '@steward/platform'

/** Collects what one step's action prints and logs. */
export interface StepLogCollector {
  add: (text: string, level?: LogLevel) => void
  /** The entries that are not stored yet; nothing is added afterwards. */
  end: () => StepLog[]
}

export interface StepLogPorts {
  /** Milliseconds since the epoch. */
  now: () => number
  onAdded: (text: string) => void
  startTimer?: StartTimer
}

/** A step that runs for long shows its log with this delay, and loses no more of it in a crash. */
const STORE_AFTER_MS = 1000

export const createStepLog = (
  { now, onAdded, startTimer = startSystemTimer }: StepLogPorts,
  store: (logs: readonly StepLog[]) => Promise<void>,
): StepLogCollector => {
  let unstored: StepLog[] = []
  let count = 0
  let isOver = false
  let cancelTimer: (() => void) | undefined

  const storeNow = (): void => {
    cancelTimer = undefined
    const logs = unstored
    unstored = []
    // The end of the step meets the same disk and reports it.
    store(logs).catch(() => undefined)
  }
  const keep = (text: string, level: LogLevel): void => {
    unstored.push({ at: new Date(now()).toISOString(), level, text })
    cancelTimer ??= startTimer(STORE_AFTER_MS, storeNow)
  }

  return {
    add: (text, level = 'info') => {
      if (isOver) return
      onAdded(text)
      count += 1
      if (count <= LIMITS.stepLogEntries) keep(text, level)
      else if (count === LIMITS.stepLogEntries + 1) {
        keep(`more than ${LIMITS.stepLogEntries} entries; the rest is left out`, 'warn')
      }
    },
    end: () => {
      isOver = true
      cancelTimer?.()
      return unstored
    },
  }
}
