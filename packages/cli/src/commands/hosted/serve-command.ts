import { SANDBOX_DRIVERS } from '@steward/contract'
import { Command, Option } from 'commander'
import { parsePort } from '../../input/parse-port.ts'
import type { Io } from '../../io.ts'
import type { ServeFlags } from './command-flags.ts'

const HELP = `
Examples:
  steward hosted serve                                 on hosted.port of settings.json (31338)
  steward hosted serve --port 0 --json                 on a free port; one line of JSON says which
  steward hosted serve --db postgres://user@host/db    a store that several machines share
  steward hosted serve --api-only                      only answers clients; brains run elsewhere

The store is --db, else DATABASE_URL, else a file in the data home. ^C and SIGTERM end streams, let
each session come to its next step and end it with 0; sessions go on where they were when it is
started again. Exit codes: 1 it could not start, 2 the settings are wrong, 4 the port is taken,
5 something is missing, such as bubblewrap. --no-isolation runs what agents run on this machine itself.
`

export const createHostedServeCommand = (io: Io): Command =>
  new Command('serve')
    .description('Serves the hosted agent API and runs its sessions, in the foreground.')
    .option('--port <port>', 'the port to listen on; 0 for any that is free', parsePort)
    .option('--host <address>', 'the address to listen on, when not 127.0.0.1')
    .option('--db <url>', 'a Postgres that several servers share')
    .option('--home <dir>', 'the data home, when not STEWARD_HOME')
    .addOption(
      new Option('--isolation <driver>', 'what sandboxes are made of').choices(
        SANDBOX_DRIVERS.filter((driver) => driver !== 'none'),
      ),
    )
    .option('--no-isolation', 'no sandbox at all: agents run commands as you')
    .addOption(new Option('--api-only', 'answer clients, run no session').conflicts('brainOnly'))
    .option('--brain-only', 'run sessions, answer no client')
    .option('--json', 'print the address as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: ServeFlags) => {
      const { serveHosted } = await import('./serve.ts')
      await serveHosted(io, flags)
    })
