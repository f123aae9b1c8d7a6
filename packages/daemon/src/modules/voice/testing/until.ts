const PATIENCE_MS = 20_000

/** Yields to local work until a condition is true. */
export const until = async (holds: () => boolean, what = 'the condition'): Promise<void> => {
  const deadlineMs = performance.now() + PATIENCE_MS
  while (!holds()) {
    if (performance.now() > deadlineMs) throw new Error(`${what} did not happen`)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
