/** Counts work in progress. */
export interface WorkCount {
  /** Registers work; the returned function ends it. */
  begin(): () => void
  count(): number
  /** Resolves when no work is in progress. */
  idle(): Promise<void>
}

export const createWorkCount = (): WorkCount => {
  let underWay = 0
  let waiting: (() => void)[] = []
  return {
    begin: () => {
      underWay += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        underWay -= 1
        if (underWay > 0) return
        const resolved = waiting
        waiting = []
        for (const resolve of resolved) resolve()
      }
    },
    count: () => underWay,
    idle: () =>
      underWay === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}
