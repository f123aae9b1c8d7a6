import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, parseJson, StewardError } from '@steward/contract'
import { commandLineOf, type Home, isLockHeld, resolveHome } from '@steward/platform'
import type { HostPlace } from '../assistant.ts'
import { HOOK_FILE, type HookProgram } from '../registration/hook-program.ts'
import { readIfThere } from './install-record.ts'

/** How hooks are started from an installation, without building anything. */
export const describeHookProgram = (
  { env, homedir, project }: HostPlace,
  installation: string,
): HookProgram => {
  const inClone = join(installation, 'packages', 'assistants', 'dist', HOOK_FILE)
  const packed = join(installation, 'hook', HOOK_FILE)
  const isClone = existsSync(join(installation, 'packages', 'assistants'))
  const dataHome = resolveHome(env, homedir)
  const home = dataHome.root
  const isDefault = home === resolveHome({}, homedir).root
  const daemon = findDaemonAddress(dataHome, env)
  return {
    node: process.execPath,
    file: isClone ? inClone : packed,
    ...(isDefault ? {} : { home }),
    ...(daemon === undefined ? {} : { daemon }),
    ...(project === undefined ? {} : { origin: 'project' }),
    ...(asksForSpecifications(dataHome)
      ? {
          specifications: join(home, 'MEMORY', 'WORK'),
          announce: `${commandLineOf(installation, isClone)} announce`,
        }
      : {}),
  }
}

/** Like `describeHookProgram`, with an up-to-date program: a clone builds it from its sources. */
export const prepareHookProgram = (place: HostPlace, installation: string): HookProgram => {
  const program = describeHookProgram(place, installation)
  const script = join(installation, 'scripts', 'build-hook.ts')
  if (existsSync(script)) {
    const built = spawnSync(process.execPath, [script], { encoding: 'utf8' })
    if (built.status !== 0) {
      throw new StewardError('hook_not_built', { reason: explainExit(built) })
    }
  }
  if (existsSync(program.file)) return program
  throw new StewardError('not_found', { what: 'hook program', name: program.file })
}

const MOST_SAID_CHARS = 2000

/** A process that is killed, by the system for want of memory for example, says nothing itself. */
const explainExit = ({
  error,
  signal,
  status,
  stderr,
  stdout,
}: SpawnSyncReturns<string>): string => {
  // Both are null if it could not be started.
  const said = (stderr?.trim() || stdout?.trim() || '').slice(0, MOST_SAID_CHARS)
  const how =
    error?.message ?? (signal === null ? `it exited with ${status}` : `${signal} ended it`)
  return said === '' ? `${how} without a message` : `${how}: ${said}`
}

/** The address of the running daemon, or the configured one; nothing means the default. */
const findDaemonAddress = (
  home: Home,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  if (isLockHeld(join(home.databases, 'daemon.lock'))) {
    const { address } = readFields(join(home.databases, 'daemon.json'))
    if (typeof address === 'string') return address
  }
  const { observability } = readFields(home.settings)
  const server = isJsonObject(observability) ? observability.server : undefined
  const port = Number(env.STEWARD_PORT || (isJsonObject(server) ? server.port : undefined))
  return Number.isInteger(port) && port > 0 ? `http://127.0.0.1:${port}` : undefined
}

/** Whether sessions are asked to keep a specification, everywhere or in some folder. */
const asksForSpecifications = ({ settings }: Pick<Home, 'settings'>): boolean => {
  const { algorithm } = readFields(settings)
  const { enabled, projects } = isJsonObject(algorithm) ? algorithm : {}
  return enabled !== false || (isJsonObject(projects) && Object.values(projects).includes(true))
}

/** An invalid file counts as empty here; `steward doctor` reports it. */
const readFields = (path: string): Record<string, unknown> => {
  const parsed = parseJson(readIfThere(path) ?? '{}', path)
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
}
