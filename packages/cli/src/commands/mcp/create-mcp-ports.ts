import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeHookPages } from '@steward/assistants'
import { type Settings, StewardError, unwrap } from '@steward/contract'
import type { NotificationsPort, RunsPort, StewardMcpPorts } from '@steward/mcp'
import { secretsOfChannels } from '@steward/notify'
import {
  createEnvironment,
  createRedactor,
  type Home,
  type Redactor,
  readEnvFile,
  readSettings,
  secretsOf,
} from '@steward/platform'
import { catalogRoots, createCatalog, declaredSecrets, findRun, openHistory } from '@steward/runner'
import type { Io } from '../../io.ts'
import { deliverNotice } from '../../notifier/deliver-notice.ts'
import { withNotifier } from '../../notifier/open-notifier.ts'
import { cleanText } from '../../output/clean-text.ts'
import { findInstallation } from '../../setup/installation.ts'

/** What `steward mcp` reads and, if allowed, writes. Reading creates nothing in the data home. */
export const createMcpPorts = (io: Io, home: Home): StewardMcpPorts => {
  const settings = async (): Promise<Settings> => unwrap(await readSettings(home))
  const redactor = createRedactorSource(io, home, settings)
  return {
    home,
    now: io.now,
    settings,
    redactor,
    runs: createRunsPort(home, redactor),
    notifications: createNotificationsPort(io, home),
    places: { installation: findInstallation().root, homedir: io.homedir, env: io.env },
    generated: describeHookPages,
    log: { warn: (message) => io.err.write(`${cleanText(message)}\n`) },
  }
}

/** Rebuilt only if one of its inputs changed. */
const createRedactorSource = (
  io: Io,
  home: Home,
  settings: () => Promise<Settings>,
): (() => Promise<Redactor>) => {
  const roots = catalogRoots(home.user.root, findInstallation().library)
  let known: { text: string; redactor: Redactor } | undefined
  return async () => {
    const environment = createEnvironment(io.env, unwrap(await readEnvFile(home.envFile)))
    const token = await readToken(home.token)
    const secrets = {
      ...secretsOf(environment, declaredSecrets(createCatalog(roots))),
      ...secretsOfChannels({ settings: await settings(), environment }),
      ...(token === '' ? {} : { token }),
    }
    const text = JSON.stringify(secrets)
    if (known?.text !== text) known = { text, redactor: createRedactor(secrets) }
    return known.redactor
  }
}

/** A home without a token has no secret. */
const readToken = async (path: string): Promise<string> =>
  existsSync(path) ? (await readFile(path, 'utf8')).trim() : ''

/**
 * The history is opened for each query, so that other users, pruning or removal are not blocked.
 */
const createRunsPort = (home: Home, redactor: () => Promise<Redactor>): RunsPort => {
  const look = async <T>(read: (history: ReturnType<typeof openHistory>) => T): Promise<T> => {
    const history = openHistory({ directory: home.databases, redactor: await redactor() })
    try {
      return read(history)
    } finally {
      await history.close()
    }
  }
  return {
    list: async ({ name, status, all, before, limit }) => {
      if (!existsSync(home.historyDatabase)) return []
      return look((history) =>
        history.list({
          limit,
          ...(all ? {} : { parentId: null }),
          ...(name === undefined ? {} : { name }),
          ...(status === undefined ? {} : { status }),
          ...(before === undefined ? {} : { before }),
        }),
      )
    },
    read: async (id) => {
      if (existsSync(home.historyDatabase)) return look((history) => findRun(history, id))
      throw new StewardError('not_found', { what: 'run', name: id, hint: ' (nothing ran yet)' })
    },
  }
}

const createNotificationsPort = (io: Io, home: Home): NotificationsPort => ({
  list: async (limit) => {
    if (!existsSync(join(home.databases, 'outbox.sqlite'))) return []
    return withNotifier(io, async (notifier) =>
      notifier.deliveries(limit).map((delivery) => ({
        id: delivery.id,
        at: new Date(delivery.createdAt).toISOString(),
        channel: delivery.channel,
        kind: delivery.kind,
        title: delivery.title,
        message: delivery.message,
        state: delivery.state,
        attempts: delivery.attempts,
        detail: delivery.detail,
      })),
    )
  },
  send: (notice) =>
    withNotifier(io, async (notifier) => {
      const { outcome, sent } = await deliverNotice(notifier, notice)
      return { id: outcome.id, deliveries: sent }
    }),
})
