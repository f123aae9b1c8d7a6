import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  type ActionManifestV2,
  actionManifestV2,
  describeIssuesAt,
  isJsonObject,
  issuesOf,
  lineInJson,
  parseJson,
  StewardError,
  unwrap,
} from '@steward/contract'
import { hashSources } from './action-sources.ts'
import { BUNDLED_ACTIONS } from './bundled-actions.ts'
import { BUNDLED_MANIFESTS, findBundled } from './bundled-definitions.ts'
import { commandOfAction, SCRIPT_NAMES } from './command-of-action.ts'
import { type CatalogEntry, findEntry, overrideByName } from './entry.ts'
import { createFileCache } from './file-cache.ts'
import { readFolder } from './read-folder.ts'
import type { RootFolder } from './roots.ts'

/** An action ready to be run in a host. Its code is not loaded here. */
export interface LoadedAction {
  manifest: ActionManifestV2
  entry: CatalogEntry
  /**
   * The module that exports `execute`: of the library, the bundled one; of a program, its manifest.
   */
  file: string
  /** The same as it is in the action's folder. */
  source: string
  /** The program and its arguments, if it is not a module. */
  command?: readonly string[]
  /** Of everything that determines its behaviour. */
  hash: string
}

export interface ActionCatalog {
  entries: () => Map<string, CatalogEntry>
  /** What an action can do; throws if it cannot be run. Only its manifest is read. */
  describe: (name: string) => ActionManifestV2
  /** Reads the manifest and finds the module; the action's code is neither loaded nor run. */
  read: (name: string) => LoadedAction
  load: (name: string) => Promise<LoadedAction>
}

const MODULE_NAMES = ['action.ts', 'action.js', 'action.mjs']

/**
 * Checks the folders on every call, so that a new or changed action is picked up without a restart.
 */
export const createActionCatalog = (roots: readonly RootFolder[]): ActionCatalog => {
  const cache = createFileCache<LoadedAction>()
  const entries = () => overrideByName(roots.flatMap(actionsIn))
  const find = (name: string) => entryAt(roots, name) ?? findEntry('action', name, entries())
  const read = (name: string): LoadedAction => {
    const known = cache.find(name)
    if (known !== undefined) return known
    const entry = find(name)
    return cache.keep(name, filesBehind(roots, entry), () => readAction(entry))
  }
  return {
    entries,
    describe: (name) => (cache.find(name) ?? examineAction(find(name))).manifest,
    read,
    load: async (name) => read(name),
  }
}

/** The files that determine which action a name refers to and what it does. */
const filesBehind = (roots: readonly RootFolder[], { name, path }: CatalogEntry): string[] => {
  const before = roots.slice(
    0,
    roots.findIndex((root) => join(root.path, name) === path),
  )
  return [
    ...before.map((root) => join(root.path, name, 'action.json')),
    join(path, 'action.json'),
    ...[...MODULE_NAMES, ...SCRIPT_NAMES].map((each) => join(path, each)).filter(existsSync),
  ]
}

const moduleIn = (path: string): string | undefined =>
  MODULE_NAMES.map((name) => join(path, name)).find(existsSync)

const readAction = (entry: CatalogEntry): LoadedAction => {
  const examined = examineAction(entry)
  const hash = hashSources(entry.path)
  return { ...examined, entry, file: bundledFile(entry.name, hash) ?? examined.source, hash }
}

/** Everything about an action that does not depend on its code. */
const examineAction = (
  entry: CatalogEntry,
): Pick<LoadedAction, 'manifest' | 'source' | 'command'> => {
  const file = join(entry.path, 'action.json')
  const text = readFileSync(file, 'utf8')
  const read =
    findBundled(BUNDLED_MANIFESTS, `${entry.name}/action.json`, text) ?? readManifest(text, entry)
  const module = moduleIn(entry.path)
  const command = commandOfAction(entry.path, 'mistakes' in read ? {} : read)
  const mistakes = [
    ...describeImplementation(module, command),
    ...('mistakes' in read ? [read.mistakes] : []),
  ]
  if (mistakes.length === 0 && !('mistakes' in read)) {
    const program = command === undefined ? {} : { command }
    return { manifest: read, source: module ?? file, ...program }
  }
  throw new StewardError('invalid_definition', { file, reason: mistakes.join('; ') })
}

const describeImplementation = (
  module: string | undefined,
  command: readonly string[] | undefined,
): string[] => {
  if (module !== undefined && command !== undefined) {
    return [`there are two implementations: ${basename(module)} and ${command.join(' ')}; keep one`]
  }
  if (module !== undefined || command !== undefined) return []
  const others = `${SCRIPT_NAMES.join(', ')} or "command"`
  return [
    `the implementation is missing: add ${MODULE_NAMES[0]} that exports execute(input, context), or ${others}`,
  ]
}

const readManifest = (
  text: string,
  { name, path }: CatalogEntry,
): ActionManifestV2 | { mistakes: string } => {
  const value = unwrap(parseJson(text, join(path, 'action.json')))
  const parsed = actionManifestV2.safeParse(value)
  const issues = parsed.success ? [] : issuesOf(parsed.error)
  const isNamed = isJsonObject(value) && typeof value.name === 'string'
  if (isNamed && value.name !== name) {
    const message = `${value.name} differs from the folder ${name}; they must be the same`
    issues.push({ path: 'name', message })
  }
  if (parsed.success && issues.length === 0) return parsed.data
  return { mistakes: describeIssuesAt(issues, lineInJson(text)) }
}

/** Its bundled module, only valid while its files are those it was built from. */
const bundledFile = (name: string, hash: string): string | undefined => {
  const bundled = BUNDLED_ACTIONS[name]
  return bundled?.hash === hash ? bundled.file : undefined
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
