/** The last port of each worker, and the base port. */
export interface PortMemory {
  basePort: number
  ports: Readonly<Record<string, number>>
}

/**
 * A port for each worker: its last one, or the lowest free one from `basePort` on, in name order.
 * Deleted workers keep theirs, so that a restored one is found at the same address.
 */
export const assignPorts = (
  workers: readonly string[],
  basePort: number,
  remembered: PortMemory | undefined,
): PortMemory => {
  const ports = new Map<string, number>(
    remembered?.basePort === basePort ? Object.entries(remembered.ports) : [],
  )
  const taken = new Set(ports.values())
  let next = basePort
  for (const worker of workers.toSorted()) {
    if (ports.has(worker)) continue
    while (taken.has(next)) next += 1
    ports.set(worker, next)
    taken.add(next)
  }
  return { basePort, ports: Object.fromEntries(ports) }
}
