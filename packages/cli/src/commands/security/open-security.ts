import { protectedPaths } from '@steward/assistants'
import { unwrap } from '@steward/contract'
import {
  createEnvironment,
  createRedactor,
  ensureHome,
  type Home,
  type Redactor,
  readEnvFile,
  readSecurityText,
  resolveHome,
  secretsOf,
} from '@steward/platform'
import { openPolicy, type Policy } from '@steward/policy'
import type { Io } from '../../io.ts'

/** The data home, and the context for the security log. */
export const openSecurity = async (
  io: Io,
): Promise<{ home: Home; ports: { redactor: Redactor; now: () => number } }> => {
  const home = unwrap(await ensureHome(resolveHome(io.env, io.homedir)))
  const envFile = unwrap(await readEnvFile(home.envFile))
  const redactor = createRedactor(secretsOf(createEnvironment(io.env, envFile)))
  return { home: home, ports: { redactor, now: io.now } }
}

/** The policy of the data home. A missing file is a warning, a broken one an error. */
export const openHomePolicy = async (io: Io): Promise<Policy> => {
  const home = resolveHome(io.env, io.homedir)
  const { text } = await readSecurityText(home, 'policy')
  const policy = unwrap(
    openPolicy({
      text,
      home: io.homedir,
      dataHome: home.root,
      protectedPaths: protectedPaths(home),
    }),
  )
  return policy
}
