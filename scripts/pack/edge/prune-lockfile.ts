import { z } from 'zod'

const names = z.record(z.string(), z.string()).optional()
const entry = z.looseObject({
  version: z.string().optional(),
  link: z.boolean().optional(),
  resolved: z.string().optional(),
  dev: z.boolean().optional(),
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
})
const lockfile = z.looseObject({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), entry),
})
export type Lockfile = z.infer<typeof lockfile>

/** The manifest of one workspace. */
export interface Workspace {
  name: string
  version: string
  dependencies: Record<string, string>
}

/**
 * The part of a lockfile that these workspaces need, for a project that contains only them. Versions,
 * places and checksums stay the same.
 */
export const pruneLockfile = (
  whole: unknown,
  project: { name: string; version: string; workspaces: string[] },
  workspaces: ReadonlyMap<string, Workspace>,
): Lockfile => {
  const { packages } = lockfile.parse(whole)
  const kept = new Map<string, z.infer<typeof entry>>()
  const keep = (from: string, name: string): void => {
    const path = resolveIn(packages, from, name)
    const found = path === undefined ? undefined : packages[path]
    if (path === undefined || found === undefined || kept.has(path)) return
    const { dev, ...rest } = found
    kept.set(path, rest)
    for (const each of [found.dependencies, found.optionalDependencies, found.peerDependencies]) {
      for (const needed of Object.keys(each ?? {})) keep(path, needed)
    }
  }
  for (const [folder, { name, version, dependencies }] of workspaces) {
    kept.set(folder, { name, version, dependencies })
    kept.set(`node_modules/${name}`, { resolved: folder, link: true })
  }
  for (const [folder, { dependencies }] of workspaces) {
    for (const name of Object.keys(dependencies)) keep(folder, name)
  }
  const sorted = [...kept].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    name: project.name,
    version: project.version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': project, ...Object.fromEntries(sorted) },
  }
}

/** Where Node finds a package from a folder: the nearest `node_modules` above it. */
const resolveIn = (
  packages: Readonly<Record<string, unknown>>,
  from: string,
  name: string,
): string | undefined => {
  for (let folder = from; ; folder = parentOf(folder)) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}

const parentOf = (folder: string): string => folder.slice(0, Math.max(0, folder.lastIndexOf('/')))
