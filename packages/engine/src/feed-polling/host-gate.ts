/** Runs work for a host when nothing else runs for it: one request at a time each. */
export type HostGate = <T>(host: string, work: () => Promise<T>) => Promise<T>

export const createHostGate = (): HostGate => {
  const last = new Map<string, Promise<unknown>>()
  return async (host, work) => {
    const before = last.get(host)
    const mine = before === undefined ? work() : before.then(work)
    // Whoever comes next waits for the end of this, not for its success.
    const ended = mine.then(
      () => undefined,
      () => undefined,
    )
    last.set(host, ended)
    try {
      return await mine
    } finally {
      if (last.get(host) === ended) last.delete(host)
    }
  }
}
