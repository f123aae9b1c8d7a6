import { setTimeout as wait } from 'node:timers/promises'
import type { Io } from '../../io.ts'
import type { StreamFlags } from './command-flags.ts'
import { createEventPrinter } from './event-printer.ts'
import { followSession } from './follow-session.ts'
import { withServer } from './with-server.ts'

/** Shows events as they come. */
export const streamSession = (io: Io, session: string, flags: StreamFlags): Promise<void> =>
  withServer(
    io,
    flags,
    async ({ client }) => {
      const printer = createEventPrinter(io.out, flags.json === true)
      await followSession(io, client, session, {
        deltas: flags.deltas === true,
        after: flags.after,
        sleep: (ms, signal) => wait(ms, undefined, { signal }),
        onEvent: (event) => {
          printer.print(event)
          return flags.untilIdle === true && event.type === 'session.status_idle'
        },
      })
    },
    { sessions: true },
  )
