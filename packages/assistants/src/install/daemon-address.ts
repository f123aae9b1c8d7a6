import { join } from 'node:path'
import { isFields, parseJson } from '@steward/contract'
import { type Home, isLockHeld } from '@steward/platform'
import { readIfThere } from './install-record.ts'

/** Where hosts will find the daemon: where it runs, else where it is to run; nothing is the default. */
export const findDaemonAddress = (
  home: Home,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  if (isLockHeld(join(home.databases, 'daemon.lock'))) {
    const { address } = readFields(join(home.databases, 'daemon.json'))
    if (typeof address === 'string') return address
  }
  const { observability } = readFields(home.settings)
  const server = isFields(observability) ? observability.server : undefined
  const port = Number(env.STEWARD_PORT || (isFields(server) ? server.port : undefined))
  return Number.isInteger(port) && port > 0 ? `http://127.0.0.1:${port}` : undefined
}

/** What cannot be understood is named by whoever needs all of it. */
const readFields = (path: string): Record<string, unknown> => {
  const parsed = parseJson(readIfThere(path) ?? '{}', path)
  return parsed.ok && isFields(parsed.value) ? parsed.value : {}
}
