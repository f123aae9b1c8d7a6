import { Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { type KeyCreateFlags, type KeysPlaceFlags, MADE_SCOPES } from './command-flags.ts'
import { parseAge } from './parse-age.ts'

const HELP = `
Examples:
  steward hosted keys create --name ci --scope write --expires 30d
  steward hosted keys create --scope environment --environment env_01…   for a worker of your own
  steward hosted keys                                                    who has one, and when it was used
  steward hosted keys revoke key_01…

Scopes: read looks, write also changes, admin also vaults, environment only the work of one
environment. Keys are stored as hashes; a secret is shown once, here. No server has to run.
`

export const createHostedKeysCommand = (io: Io): Command =>
  new Command('keys')
    .description('Keys to the hosted agent API: create, list, revoke.')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createCreateCommand(io))
    .addCommand(createRevokeCommand(io))
    .addHelpText('after', HELP)

const withPlace = (command: Command): Command =>
  command
    .option('--db <url>', 'the Postgres of the servers, when not DATABASE_URL')
    .option('--home <dir>', 'the data home, when not STEWARD_HOME')
    .option('--json', 'print JSON')

const createCreateCommand = (io: Io): Command =>
  withPlace(new Command('create'))
    .description('Makes a key and prints its secret, once.')
    .option('--name <name>', 'what it is for', 'made by hand')
    .addOption(
      new Option('--scope <scope>', 'what it may do').choices(MADE_SCOPES).default('admin'),
    )
    .option('--environment <id>', 'the environment of a key with the scope environment')
    .option('--expires <age>', 'when it ends: 12h, 30d, 8w', parseAge)
    .action(async (flags: KeyCreateFlags) => {
      const { makeKey } = await import('./keys.ts')
      await makeKey(io, flags)
    })

const createListCommand = (io: Io): Command =>
  withPlace(new Command('list'))
    .description('Shows the keys there are.')
    .action(async (flags: KeysPlaceFlags) => {
      const { showKeys } = await import('./keys.ts')
      await showKeys(io, flags)
    })

const createRevokeCommand = (io: Io): Command =>
  withPlace(new Command('revoke'))
    .description('Takes a key back: within seconds it opens nothing any more.')
    .argument('<key>', 'its id')
    .action(async (id: string, flags: KeysPlaceFlags) => {
      const { takeKeyBack } = await import('./keys.ts')
      await takeKeyBack(io, id, flags)
    })
