/** The current time as reactive state, so that relative times are updated. One timer for all. */
let nowMs = $state(Date.now())
let readers = 0
let timer: ReturnType<typeof setInterval> | undefined

export const present = (): number => {
  const keptMs = nowMs
  // It was not updated while no time was shown.
  return timer === undefined ? Date.now() : keptMs
}

/** Keeps the clock running while a component is shown; for `$effect`. */
export const keepTime = (): (() => void) => {
  readers += 1
  timer ??= setInterval(() => {
    nowMs = Date.now()
  }, 1000)
  return () => {
    readers -= 1
    if (readers > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
