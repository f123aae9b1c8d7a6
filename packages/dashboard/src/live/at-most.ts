/** Calls `work` at most once in this time, and once more after the last request; with its end. */
export const atMost = (ms: number, work: () => void): { ask: () => void; end: () => void } => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAsked = false
  const begin = (): void => {
    work()
    if (ms === 0) return
    timer = setTimeout(() => {
      timer = undefined
      if (!isAsked) return
      isAsked = false
      begin()
    }, ms)
  }
  return {
    ask: () => {
      if (timer === undefined) begin()
      else isAsked = true
    },
    end: () => clearTimeout(timer),
  }
}
