import { createServer } from 'node:net'

/** Below the ephemeral range, so that the system does not assign one while its owner restarts. */
const LOWEST = 12_000
const HIGHEST = 31_000

/** Parallel test processes use separate ranges. */
const RANGES = 4
const RANGE = Math.floor((HIGHEST - LOWEST) / RANGES)

/**
 * The first of `count` consecutive free ports, for a server that must restart at the same address.
 */
export const findFreePorts = async (count: number): Promise<number> => {
  const place = Number(process.env.VITEST_POOL_ID ?? 0) % RANGES
  for (;;) {
    const first = LOWEST + place * RANGE + Math.floor(Math.random() * (RANGE - count))
    const ports = Array.from({ length: count }, (_, index) => first + index)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
