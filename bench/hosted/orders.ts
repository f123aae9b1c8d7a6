import { fork } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'

/** Commands for the client process. */
export const order = z.discriminatedUnion('type', [
  z.object({ type: z.literal('create'), count: z.number() }),
  /** Streams per session. */
  z.object({ type: z.literal('open'), each: z.number() }),
  /** Turns of every session, all sessions concurrently, with staggered starts. */
  z.object({ type: z.literal('play'), turns: z.number(), spreadMs: z.number() }),
])
type Order = z.infer<typeof order>

const report = z.object({
  /** Events of the log that streams received, each counted once. */
  events: z.number(),
  /** The same, counted per stream. */
  frames: z.number(),
  elapsedMs: z.number(),
  /** From writing an event to its arrival at a stream. */
  p50Ms: z.number(),
  p99Ms: z.number(),
})
export type Report = z.infer<typeof report>

const made = z.object({ sessions: z.array(z.string()) })

export interface Clients {
  create(count: number): Promise<readonly string[]>
  open(each: number): Promise<void>
  play(turns: number, spreadMs?: number): Promise<Report>
  stop(): Promise<void>
}

/** Starts the clients of one server. */
export const startClients = (address: string, key: string): Clients => {
  const child = fork(join(import.meta.dirname, 'driver.ts'), [address, key])
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const tell = (wanted: Order): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error('the clients have failed'))
      child.once('exit', onExit)
      child.once('message', (answer) => {
        child.off('exit', onExit)
        resolve(answer)
      })
      child.send(wanted)
    })
  return {
    create: async (count) => made.parse(await tell({ type: 'create', count })).sessions,
    open: async (each) => {
      await tell({ type: 'open', each })
    },
    play: async (turns, spreadMs = 0) =>
      report.parse(await tell({ type: 'play', turns, spreadMs })),
    stop: async () => {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
