import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createEventPrinter } from './event-printer.ts'
import { followSession } from './follow-session.ts'
import { type TargetFlags, withTarget } from './target.ts'
import { withServer } from './with-server.ts'

interface StreamFlags extends TargetFlags {
  deltas?: true
  after?: string
  untilIdle?: true
}

const HELP = `
Examples:
  steward hosted stream sesn_01…                      show new events
  steward hosted stream sesn_01… --after sevt_01…     show all events after that one
  steward hosted stream sesn_01… --deltas             messages while they are written
  steward hosted stream sesn_01… --json | jq .type    one event per line

Ends with the session, with ^C or, with --until-idle, when the session is idle. After a lost connection it
reconnects and shows the missed events: each event once, in order.
`

export const createHostedStreamCommand = (io: Io): Command =>
  withTarget(new Command('stream'))
    .description('Follow the events of a session')
    .argument('<session>', 'its id')
    .option('--deltas', 'also show messages while they are written')
    .option('--after <event>', 'start after this event')
    .option('--until-idle', 'exit when the session is idle')
    .addHelpText('after', HELP)
    .action((session: string, flags: StreamFlags) => streamSession(io, session, flags))

/** Shows events as they arrive. */
const streamSession = (io: Io, session: string, flags: StreamFlags): Promise<void> =>
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
