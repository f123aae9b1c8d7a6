import { createServer } from 'node:net'

/** Below those that systems hand out by themselves: nobody is given one while its owner restarts. */
const LOWEST = 12_000
const HIGHEST = 31_000

/** Test processes side by side look in ranges of their own. */
const RANGES = 4
const RANGE = Math.floor((HIGHEST - LOWEST) / RANGES)

/** The first of `count` free ports in a row, for a server that must come back at the same address. */
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
