/** Counts what is under way. */
export interface WorkCount {
  /** Something began; its end is told by calling the answer. */
  begin(): () => void
  count(): number
  /** Resolves when nothing is under way. */
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
