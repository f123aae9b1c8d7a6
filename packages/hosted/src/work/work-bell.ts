/** Wakes polls that wait for work of an environment, in this process. */
export interface WorkBell {
  ring(environmentId: string): void
  /** Whether anybody waits at all: finding out for whom to ring costs a query. */
  isAwaited(): boolean
  /** Resolves when it rings, or when `give up` says so. */
  wait(environmentId: string, giveUp: (stop: () => void) => void): Promise<void>
}

export const createWorkBell = (): WorkBell => {
  const waiting = new Map<string, Set<() => void>>()
  return {
    ring: (environmentId) => {
      for (const wake of waiting.get(environmentId) ?? []) wake()
    },
    isAwaited: () => waiting.size > 0,
    wait: (environmentId, giveUp) =>
      new Promise((resolve) => {
        const waiters = waiting.get(environmentId) ?? new Set()
        waiting.set(environmentId, waiters)
        const wake = (): void => {
          waiters.delete(wake)
          if (waiters.size === 0 && waiting.get(environmentId) === waiters)
            waiting.delete(environmentId)
          resolve()
        }
        waiters.add(wake)
        giveUp(wake)
      }),
  }
}
