import { availableParallelism } from 'node:os'

/** Longer than a quick call takes with the way to its process and back. */
const AWAKE_MS = 0.4

interface AwakePorts {
  now: () => number
  /** Calls back in the next turn of the event loop, which then does not sleep before it. */
  nextTurn: (callback: () => void) => void
  processors: number
}

/**
 * Keeps the event loop awake for a call that is known to be quick, because the system takes longer to
 * wake a sleeping process than such a call takes. Several calls at once wake it often enough, and
 * need the processors themselves.
 */
export const createStayAwake = ({
  now,
  nextTurn,
  processors,
}: AwakePorts): ((call: Promise<unknown>) => void) => {
  let calls = 0
  let until = 0
  let isAwake = false
  const turn = (): void => {
    isAwake = calls === 1 && now() < until
    if (isAwake) nextTurn(turn)
  }
  const ended = (): void => {
    calls -= 1
  }
  return (call) => {
    if (processors < 2) return
    calls += 1
    call.then(ended, ended)
    until = now() + AWAKE_MS
    if (isAwake || calls > 1) return
    isAwake = true
    nextTurn(turn)
  }
}

/** One for the process, which has one event loop. */
export const stayAwake = createStayAwake({
  now: () => performance.now(),
  nextTurn: (callback) => void setImmediate(callback),
  processors: availableParallelism(),
})
