import { type HostedKey, StewardError } from '@steward/contract'
import type { HostedDatabase } from '@steward/hosted'
import { Command, Option } from 'commander'
import { parseAge } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { readHostedHome } from './hosted-home.ts'

/** The server itself creates keys with the scope `session`, one per work item. */
const MADE_SCOPES = ['read', 'write', 'admin', 'environment'] as const
type MadeScope = (typeof MADE_SCOPES)[number]

interface KeysPlaceFlags {
  db?: string
  home?: string
  json?: true
}

interface KeyCreateFlags extends KeysPlaceFlags {
  name: string
  scope: MadeScope
  environment?: string
  expires?: number
}

const HELP = `
Examples:
  steward hosted keys create --name ci --scope write --expires 30d
  steward hosted keys create --scope environment --environment env_01…   for your own worker
  steward hosted keys                                                    list keys and when each was last used
  steward hosted keys revoke key_01…

Scopes: read; write may also change; admin may also use vaults; environment is only for the work of one
environment. Keys are stored as hashes, and a secret is shown only once. No server has to run.
`

export const createHostedKeysCommand = (io: Io): Command =>
  new Command('keys')
    .description('Create, list and revoke keys to the hosted agent API')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createCreateCommand(io))
    .addCommand(createRevokeCommand(io))
    .addHelpText('after', HELP)

const withPlace = (command: Command): Command =>
  command
    .option('--db <url>', 'Postgres of the servers (default: DATABASE_URL)')
    .option('--home <dir>', 'data home (default: STEWARD_HOME)')
    .option('--json', 'print JSON')

const createCreateCommand = (io: Io): Command =>
  withPlace(new Command('create'))
    .description('Create a key and print its secret, once')
    .option('--name <name>', 'its purpose', 'created by hand')
    .addOption(new Option('--scope <scope>', 'its scope').choices(MADE_SCOPES).default('admin'))
    .option('--environment <id>', 'the environment, for the scope environment')
    .option('--expires <age>', 'when it ends: 12h, 30d, 8w', parseAge)
    .action((flags: KeyCreateFlags) => makeKey(io, flags))

const createListCommand = (io: Io): Command =>
  withPlace(new Command('list'))
    .description('List keys')
    .action((flags: KeysPlaceFlags) => showKeys(io, flags))

const createRevokeCommand = (io: Io): Command =>
  withPlace(new Command('revoke'))
    .description('Revoke a key; takes effect within seconds')
    .argument('<key>', 'its id')
    .action((id: string, flags: KeysPlaceFlags) => revokeStoredKey(io, id, flags))

type Hosted = typeof import('@steward/hosted')

/** Keys are in the store, so they can be created before a server runs, and for a remote one. */
const withStore = async <Value>(
  io: Io,
  { db, home }: KeysPlaceFlags,
  use: (database: HostedDatabase, hosted: Hosted) => Promise<Value>,
): Promise<Value> => {
  const hosted = await import('@steward/hosted')
  const place = await readHostedHome(io, home)
  const url = db ?? (place.environment.DATABASE_URL || undefined)
  const database = await hosted.openStore({
    home: place.home.root,
    ...(url === undefined ? {} : { databaseUrl: url }),
    report: ({ message }) => io.err.write(`${cleanText(message)}\n`),
  })
  try {
    return await use(database, hosted)
  } finally {
    await database.close()
  }
}

const makeKey = async (io: Io, flags: KeyCreateFlags): Promise<void> => {
  const { name, scope, environment, expires, json } = flags
  if ((scope === 'environment') !== (environment !== undefined)) {
    throw new StewardError('invalid_input', {
      subject: '--environment',
      reason: 'it is required with --scope environment and not allowed otherwise',
      field: 'environment',
    })
  }
  const nowMs = io.now()
  const { key, secret } = await withStore(io, flags, async (database, hosted) => {
    const created = await database.write(() =>
      hosted.createKey({
        name,
        scope,
        nowMs,
        ...(environment === undefined ? {} : { environmentId: environment }),
        ...(expires === undefined ? {} : { expiresMs: nowMs + expires }),
      }),
    )
    return { ...created, key: hosted.toHostedKey(created.key) }
  })
  if (json) printJson(io.out, { ...key, key: secret })
  else {
    io.out.write(`${secret}\n`)
    io.err.write(`This is ${key.id} (${scope}). It is shown this once and stored as a hash.\n`)
  }
}

const showKeys = async (io: Io, flags: KeysPlaceFlags): Promise<void> => {
  const keys = await withStore(io, flags, async (database, { listKeys, toHostedKey }) => {
    const stored = await database.read(() => listKeys())
    return stored.map(toHostedKey)
  })
  if (flags.json) printJson(io.out, keys)
  else io.out.write(renderKeys(keys, io.now(), io.out.paint))
}

const revokeStoredKey = async (io: Io, id: string, flags: KeysPlaceFlags): Promise<void> => {
  const key = await withStore(io, flags, async (database, { revokeKey, toHostedKey }) =>
    toHostedKey(await database.write(() => revokeKey(id, io.now()))),
  )
  if (flags.json) printJson(io.out, key)
  else io.out.write(`${key.id} (${cleanText(key.name)}) is revoked\n`)
}

const renderKeys = (keys: readonly HostedKey[], nowMs: number, paint: Paint): string => {
  if (keys.length === 0) return `none yet: ${COMMAND} hosted keys create\n`
  return formatTable(
    keys.map((key) => [
      key.id,
      `…${cleanText(key.hint)}`,
      key.scope,
      describeState(key, nowMs, paint),
      key.last_used_at === null ? paint.dim('never used') : `used ${formatTime(key.last_used_at)}`,
      cleanText(key.environment_id === null ? key.name : `${key.name} (${key.environment_id})`),
    ]),
  )
}

const describeState = (key: HostedKey, nowMs: number, paint: Paint): string => {
  if (key.revoked_at !== null) return paint.red('revoked')
  if (key.expires_at === null) return paint.green('good')
  return Date.parse(key.expires_at) <= nowMs
    ? paint.red('expired')
    : paint.green(`good until ${formatTime(key.expires_at)}`)
}
