import { protectedPaths } from '@steward/assistants'
import { readSecurityText, resolveHome } from '@steward/platform'
import { openPolicy, type Policy } from '@steward/policy'
import type { Io } from '../../io.ts'

/** The policy of the data home. A file that is not there is a warning, one that is broken an error. */
export const openHomePolicy = async (io: Io): Promise<Policy> => {
  const home = resolveHome(io.env, io.homedir)
  const { text } = await readSecurityText(home, 'policy')
  const policy = openPolicy({
    text,
    home: io.homedir,
    dataHome: home.root,
    protectedPaths: protectedPaths(home),
  })
  if (!policy.ok) throw policy.error
  return policy.value
}
