/** Which port each worker had, and the port they were counted from. */
export interface PortMemory {
  basePort: number
  ports: Readonly<Record<string, number>>
}

/**
 * A port for each worker: the one it had, or the lowest free one from `basePort` on, in name order.
 * Workers that are gone keep theirs, so that one that comes back is found where it was.
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
