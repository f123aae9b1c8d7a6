import { Command } from 'commander'
import type { Io } from '../../io.ts'
import type { StreamFlags } from './command-flags.ts'
import { withTarget } from './target.ts'

const HELP = `
Examples:
  steward hosted stream sesn_01…                      what happens from now on
  steward hosted stream sesn_01… --after sevt_01…     also what happened since that event
  steward hosted stream sesn_01… --deltas             messages while they are written
  steward hosted stream sesn_01… --json | jq .type    one event a line

Ends with the session, with --until-idle, or with ^C. A connection that breaks is opened again, and
what happened in between is shown: each event once, in order.
`

export const createHostedStreamCommand = (io: Io): Command =>
  withTarget(new Command('stream'))
    .description('Shows what happens in a session.')
    .argument('<session>', 'its id')
    .option('--deltas', 'also messages while they are written')
    .option('--after <event>', 'begin after this event')
    .option('--until-idle', 'end when the session is idle')
    .addHelpText('after', HELP)
    .action(async (session: string, flags: StreamFlags) => {
      const { streamSession } = await import('./stream.ts')
      await streamSession(io, session, flags)
    })
