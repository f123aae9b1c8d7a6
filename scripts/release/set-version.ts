import { isJsonObject } from '@steward/contract'

/** A manifest of ours with another version; versions of other packages stay. */
export const setManifestVersion = (text: string, from: string, to: string): string =>
  text.replaceAll(/("(?:version|@steward\/[^"]+)": )"([^"]+)"/g, (whole, name: string, version) =>
    version === from ? `${name}"${to}"` : whole,
  )

const OWN = /^(?:|library|packages\/[^/]+)$/

/** The lockfile with another version of our own packages. */
export const setLockVersion = (text: string, from: string, to: string): string => {
  const lock: unknown = JSON.parse(text)
  if (!isJsonObject(lock) || !isJsonObject(lock.packages)) throw new Error('it is not a lockfile')
  const packages = Object.entries(lock.packages).map(([path, entry]): [string, unknown] => [
    path,
    OWN.test(path)
      ? JSON.parse(setManifestVersion(JSON.stringify(entry, null, 2), from, to))
      : entry,
  ])
  const changed = { ...lock, version: to, packages: Object.fromEntries(packages) }
  return `${JSON.stringify(changed, null, 2)}\n`
}
