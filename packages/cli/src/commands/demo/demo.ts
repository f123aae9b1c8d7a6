import type { DaemonClient } from '@steward/contract'
import { Command } from 'commander'
import { requireDaemonClient } from '../../daemon/daemon-client.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'

const HELP = `
Examples:
  steward demo load      load sample data and print an address that opens it
  steward demo remove    remove it completely

The demo day has a data home of its own (demo/ in yours) and a dashboard of its own: sessions,
failures, cost, runs and notes that are not yours. It never counts in your history, budgets and
notifications.
`

interface Flags {
  json?: true
}

export const createDemoCommand = (io: Io): Command =>
  new Command('demo')
    .description('Load or remove a demo day of sample data')
    .addCommand(createStatusCommand(io), { isDefault: true })
    .addCommand(createLoadCommand(io))
    .addCommand(createRemoveCommand(io))
    .addHelpText('after', HELP)

const createStatusCommand = (io: Io): Command =>
  new Command('status')
    .description('Show whether the demo day is loaded')
    .option('--json', 'print JSON')
    .action(async ({ json }: Flags) => {
      const state = await (await openClient(io)).call('getDemo')
      if (json) return printJson(io.out, state)
      io.out.write(state.loaded ? 'The demo day is loaded.\n' : 'The demo day is not loaded.\n')
    })

const createLoadCommand = (io: Io): Command =>
  new Command('load')
    .description('Load the demo day and print its address')
    .option('--json', 'print JSON')
    .action(async ({ json }: Flags) => {
      const opened = await (await openClient(io)).call('openDemo', { body: {} })
      if (json) return printJson(io.out, opened)
      io.out.write(`${opened.url}\n`)
    })

const createRemoveCommand = (io: Io): Command =>
  new Command('remove')
    .description('Remove the demo day')
    .option('--json', 'print JSON')
    .action(async ({ json }: Flags) => {
      const state = await (await openClient(io)).call('removeDemo', { body: {} })
      if (json) return printJson(io.out, state)
      io.out.write('The demo day is removed.\n')
    })

/** The daemon of the demo is started, and its runs are made. */
const WAIT_MS = 90_000

const openClient = (io: Io): Promise<DaemonClient> =>
  requireDaemonClient(io, {
    subject: 'the demo day',
    why: 'the daemon serves it',
    waitMs: WAIT_MS,
  })
