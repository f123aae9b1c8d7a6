import type { StartTimer } from '@steward/platform'

/** Detects sessions without calls for a while. */
export interface IdleWatch {
  /** Runs a call; the session is not idle meanwhile. */
  during<T>(sessionId: string, call: () => Promise<T>): Promise<T>
  forget(sessionId: string): void
}

export interface IdleWatchOptions {
  idleMs: number
  startTimer: StartTimer
  onIdle: (sessionId: string) => void
}

export const createIdleWatch = ({ idleMs, startTimer, onIdle }: IdleWatchOptions): IdleWatch => {
  const calls = new Map<string, number>()
  const cancels = new Map<string, () => void>()
  const forget = (sessionId: string): void => {
    cancels.get(sessionId)?.()
    cancels.delete(sessionId)
  }
  return {
    forget,
    during: async (sessionId, call) => {
      forget(sessionId)
      calls.set(sessionId, (calls.get(sessionId) ?? 0) + 1)
      try {
        return await call()
      } finally {
        const left = (calls.get(sessionId) ?? 1) - 1
        if (left > 0) calls.set(sessionId, left)
        else {
          calls.delete(sessionId)
          const elapsed = (): void => {
            cancels.delete(sessionId)
            onIdle(sessionId)
          }
          cancels.set(sessionId, startTimer(idleMs, elapsed))
        }
      }
    },
  }
}
