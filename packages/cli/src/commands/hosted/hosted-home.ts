import type { Result, Settings } from '@steward/contract'
import {
  createEnvironment,
  type Environment,
  ensureHome,
  type Home,
  readEnvFile,
  readSettings,
  resolveHome,
} from '@steward/platform'
import type { Io } from '../../io.ts'

export interface HostedHome {
  home: Home
  /** The process environment, plus the data home's env file. */
  environment: Environment
}

/** The data home for a command. */
export const readHostedHome = async (io: Io, home: string | undefined): Promise<HostedHome> => {
  const env = home === undefined ? io.env : { ...io.env, STEWARD_HOME: home }
  const found = take(await ensureHome(resolveHome(env, io.homedir)))
  const environment = createEnvironment(env, take(await readEnvFile(found.envFile)))
  return { home: found, environment }
}

export const readHostedSettings = async (home: Home): Promise<Settings> =>
  take(await readSettings(home))

const take = <Value>(result: Result<Value>): Value => {
  if (!result.ok) throw result.error
  return result.value
}
