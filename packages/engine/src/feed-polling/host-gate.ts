/** Serialises work per host: one request at a time. */
export type HostGate = <T>(host: string, work: () => Promise<T>) => Promise<T>

export const createHostGate = (): HostGate => {
  const last = new Map<string, Promise<unknown>>()
  return async (host, work) => {
    const before = last.get(host)
    const mine = before === undefined ? work() : before.then(work)
    // The next one waits for the end of this, whether it succeeds or not.
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
