import { type HostedKey, StewardError } from '@steward/contract'
import {
  createKey,
  type HostedDatabase,
  listKeys,
  openStore,
  revokeKey,
  toHostedKey,
} from '@steward/hosted'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import type { KeyCreateFlags, KeysPlaceFlags } from './command-flags.ts'
import { readHostedHome } from './hosted-home.ts'

/** Keys are in the store, so that they can be made before a server runs, and for one elsewhere. */
const withStore = async <Value>(
  io: Io,
  { db, home }: KeysPlaceFlags,
  use: (database: HostedDatabase) => Promise<Value>,
): Promise<Value> => {
  const place = await readHostedHome(io, home)
  const url = db ?? (place.environment.DATABASE_URL || undefined)
  const database = await openStore({
    home: place.home.root,
    ...(url === undefined ? {} : { databaseUrl: url }),
    report: ({ message }) => io.err.write(`${cleanText(message)}\n`),
  })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

export const makeKey = async (io: Io, flags: KeyCreateFlags): Promise<void> => {
  const { name, scope, environment, expires, json } = flags
  if ((scope === 'environment') !== (environment !== undefined)) {
    throw new StewardError('invalid_input', {
      subject: '--environment',
      reason: 'it goes with --scope environment, and only with it',
      field: 'environment',
    })
  }
  const nowMs = io.now()
  const { key, secret } = await withStore(io, flags, (database) =>
    database.write(() =>
      createKey({
        name,
        scope,
        nowMs,
        ...(environment === undefined ? {} : { environmentId: environment }),
        ...(expires === undefined ? {} : { expiresMs: nowMs + expires }),
      }),
    ),
  )
  if (json) printJson(io.out, { ...toHostedKey(key), key: secret })
  else {
    io.out.write(`${secret}\n`)
    io.err.write(`This is ${key.id} (${scope}). It is shown this once and stored as a hash.\n`)
  }
}

export const showKeys = async (io: Io, flags: KeysPlaceFlags): Promise<void> => {
  const stored = await withStore(io, flags, (database) => database.read(() => listKeys()))
  const keys = stored.map(toHostedKey)
  if (flags.json) printJson(io.out, keys)
  else io.out.write(renderKeys(keys, io.now(), io.out.paint))
}

export const takeKeyBack = async (io: Io, id: string, flags: KeysPlaceFlags): Promise<void> => {
  const key = await withStore(io, flags, (database) =>
    database.write(() => revokeKey(id, io.now())),
  )
  if (flags.json) printJson(io.out, toHostedKey(key))
  else io.out.write(`${key.id} (${cleanText(key.name)}) is revoked\n`)
}

export const renderKeys = (keys: readonly HostedKey[], nowMs: number, paint: Paint): string => {
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
