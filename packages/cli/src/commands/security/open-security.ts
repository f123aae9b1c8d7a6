import {
  createEnvironment,
  createRedactor,
  ensureHome,
  type Home,
  type Redactor,
  readEnvFile,
  resolveHome,
  secretsOf,
} from '@steward/platform'
import type { Io } from '../../io.ts'

/** The data home, and what the security log needs to be told. */
export const openSecurity = async (
  io: Io,
): Promise<{ home: Home; ports: { redactor: Redactor; now: () => number } }> => {
  const home = await ensureHome(resolveHome(io.env, io.homedir))
  if (!home.ok) throw home.error
  const envFile = await readEnvFile(home.value.envFile)
  if (!envFile.ok) throw envFile.error
  const redactor = createRedactor(secretsOf(createEnvironment(io.env, envFile.value)))
  return { home: home.value, ports: { redactor, now: io.now } }
}
