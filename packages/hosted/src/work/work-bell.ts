/** Wakes polls in this process that wait for work of an environment. */
export interface WorkBell {
  ring(environmentId: string): void
  /** Whether any poll waits: finding the environment to notify costs a query. */
  isAwaited(): boolean
  /** Resolves when work arrives, or when `giveUp` stops it. */
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
