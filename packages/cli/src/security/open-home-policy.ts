import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resolveHome } from '@steward/memory'
import { openPolicy, type Policy } from '@steward/policy'
import type { Io } from '../io.ts'

/** The policy of the data home. A file that is not there is a warning, one that is broken an error. */
export const openHomePolicy = async (io: Io): Promise<Policy> => {
  const home = resolveHome(io.env, io.homedir)
  const text = await readIfThere(join(home.root, 'USER/SECURITY/PATTERNS.yaml'))
  const policy = openPolicy({ text, home: io.homedir, dataHome: home.root })
  if (!policy.ok) throw policy.error
  return policy.value
}

const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}
