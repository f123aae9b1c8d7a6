import { type Settings, unwrap } from '@steward/contract'
import { createNotifier, type Notifier, notifierMachine } from '@steward/notify'
import {
  createEnvironment,
  createRedactor,
  type Environment,
  ensureHome,
  type Home,
  readEnvFile,
  readSettings,
  resolveHome,
  secretsOf,
} from '@steward/platform'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'

export interface NotifierPlace {
  home: Home
  settings: Settings
  environment: Environment
}

export const readNotifierPlace = async (io: Io): Promise<NotifierPlace> => {
  const home = unwrap(await ensureHome(resolveHome(io.env, io.homedir)))
  const settings = unwrap(await readSettings(home))
  const environment = createEnvironment(io.env, unwrap(await readEnvFile(home.envFile)))
  return { home, settings, environment }
}

/** The notifier of this data home; the caller must stop it. */
export const openNotifier = async (io: Io): Promise<Notifier> => {
  const { home, settings, environment } = await readNotifierPlace(io)
  const redactor = createRedactor(secretsOf(environment))
  const say = (message: string) => io.err.write(`${cleanText(message)}\n`)
  return createNotifier({
    ...notifierMachine(),
    now: io.now,
    home,
    settings: () => settings,
    environment: () => environment,
    redactor: () => redactor,
    log: { warn: say },
    ...(io.err.isTerminal ? { terminal: { write: io.err.write, environment: io.env } } : {}),
  })
}

/** The notifier of this data home for as long as `use` takes. */
export const withNotifier = async <Value>(
  io: Io,
  use: (notifier: Notifier) => Promise<Value>,
): Promise<Value> => {
  const notifier = await openNotifier(io)
  try {
    return await use(notifier)
  } finally {
    await notifier.stop()
  }
}
