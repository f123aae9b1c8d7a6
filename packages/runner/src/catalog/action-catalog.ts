import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ActionManifestV2, parseJson, StewardError, unwrap } from '@steward/contract'
import { parseManifest } from '@steward/engine'
import { readSources } from './action-sources.ts'
import { BUNDLED_ACTIONS, type BundledAction } from './bundled-actions.ts'
import { type CatalogEntry, findEntry, overrideByName } from './entry.ts'
import { createFileCache } from './file-cache.ts'
import { readFolder } from './read-folder.ts'
import type { RootFolder } from './roots.ts'

/** An action ready to be run in a host. Its code is not loaded here. */
export interface LoadedAction {
  manifest: ActionManifestV2
  entry: CatalogEntry
  /** The module that exports `execute`. */
  file: string
  /** Of everything that determines its behaviour. */
  hash: string
}

export interface ActionCatalog {
  entries: () => Map<string, CatalogEntry>
  load: (name: string) => Promise<LoadedAction>
}

const MODULE_NAMES = ['action.ts', 'action.js', 'action.mjs']

/**
 * Checks the folders on every call, so that a new or changed action is picked up without a restart.
 */
export const createActionCatalog = (roots: readonly RootFolder[]): ActionCatalog => {
  const cache = createFileCache<Promise<LoadedAction>>()
  const entries = () => overrideByName(roots.flatMap(actionsIn))
  return {
    entries,
    load: async (name) => {
      const known = cache.find(name)
      if (known !== undefined) return known
      const entry = entryAt(roots, name) ?? findEntry('action', name, entries())
      return cache.keep(name, filesBehind(roots, entry), () => loadFrom(entry))
    },
  }
}

/** The files that determine which action a name refers to and what it does. */
const filesBehind = (roots: readonly RootFolder[], { name, path }: CatalogEntry): string[] => {
  const before = roots.slice(
    0,
    roots.findIndex((root) => join(root.path, name) === path),
  )
  const module = moduleIn(path)
  return [
    ...before.map((root) => join(root.path, name, 'action.json')),
    join(path, 'action.json'),
    ...(module === undefined ? [] : [module]),
  ]
}

const moduleIn = (path: string): string | undefined =>
  MODULE_NAMES.map((name) => join(path, name)).find(existsSync)

const loadFrom = async (entry: CatalogEntry): Promise<LoadedAction> => {
  const { sources, hash } = readSources(entry.path)
  const bundled = bundledAction(entry.name, hash)
  const file = bundled?.file ?? needModule(entry.path)
  const manifestFile = join(entry.path, 'action.json')
  const manifest =
    bundled?.manifest?.() ?? parseManifest(readManifest(sources, manifestFile), manifestFile)
  if (manifest.name === entry.name) return { manifest, entry, file, hash }
  throw new StewardError('invalid_definition', {
    file: manifestFile,
    reason: `name is ${manifest.name}, but the folder is ${entry.name}; they must be the same`,
  })
}

const needModule = (path: string): string => {
  const file = moduleIn(path)
  if (file !== undefined) return file
  throw new StewardError('invalid_definition', {
    file: path,
    reason: `there is no implementation: add ${MODULE_NAMES[0]} that exports execute(input, context)`,
  })
}

const readManifest = (sources: ReadonlyMap<string, string>, file: string): unknown => {
  return unwrap(parseJson(sources.get('action.json') ?? '', file))
}

/** Only valid while its files are those it was built from. */
const bundledAction = (name: string, hash: string): BundledAction | undefined => {
  const bundled = BUNDLED_ACTIONS[name]
  return bundled?.hash === hash ? bundled : undefined
}

const actionsIn = ({ path, origin }: RootFolder): CatalogEntry[] =>
  readFolder(path)
    .filter((item) => item.isDirectory() && existsSync(join(path, item.name, 'action.json')))
    .map((item) => ({ name: item.name, path: join(path, item.name), origin, overrides: false }))

/** Fast path for the common case: finds one action without listing a folder. */
const entryAt = (roots: readonly RootFolder[], name: string): CatalogEntry | undefined => {
  if (!/^A_[A-Z0-9_]+$/.test(name)) return undefined
  const found = roots.filter(({ path }) => existsSync(join(path, name, 'action.json')))
  const [first] = found
  return (
    first && {
      name,
      path: join(first.path, name),
      origin: first.origin,
      overrides: found.length > 1,
    }
  )
}
