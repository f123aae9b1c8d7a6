import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The first Node with built-in SQLite, which the locks of sessions and security events need. */
const OLDEST = { major: 22, minor: 13 }

export const isRecentNode = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)
}

/** The Node bundled with Steward: in a `node_modules` above a folder, or beside the package. */
export const findBundledNode = (
  folder: string,
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>,
): string | undefined => {
  const name = `node-${platform}-${arch}`
  const places = [join(folder, 'node_modules'), folder]
  const found = places.map((place) => join(place, name, 'bin', 'node')).find(existsSync)
  if (found !== undefined) return found
  const above = dirname(folder)
  return above === folder ? undefined : findBundledNode(above, { platform, arch })
}
