import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ok, type PipelineDefinition, type Result, StewardError } from '@steward/contract'
import {
  type CheckReference,
  type ParsedPipeline,
  parsePipelineMarkdown,
  parsePipelineYaml,
} from '@steward/engine'
import { BUNDLED_PIPELINES, findBundled } from './bundled-definitions.ts'
import { type CatalogEntry, findEntry, overrideByName } from './entry.ts'
import { createFileCache } from './file-cache.ts'
import { readFolder } from './read-folder.ts'
import type { RootFolder } from './roots.ts'

export interface LoadedPipeline {
  definition: PipelineDefinition
  warnings: string[]
  entry: CatalogEntry
}

interface Read {
  entry: CatalogEntry
  parsed: Result<ParsedPipeline>
}

export interface PipelineCatalog {
  entries: () => Map<string, CatalogEntry>
  /** `known` saves listing the folders again. */
  load: (name: string, known?: ReadonlyMap<string, CatalogEntry>) => LoadedPipeline
}

/** Pipelines are `P_NAME.yaml` files and `[Domain]_[Pipeline-Name]/PIPELINE.md` folders; YAML wins within a root. */
export const createPipelineCatalog = (
  roots: readonly RootFolder[],
  createCheck: () => CheckReference,
): PipelineCatalog => {
  const parsedFiles = createFileCache<Result<ParsedPipeline>>()
  // Nothing can override a file of the first root, so its own stamp is sufficient.
  const firstRoot = createFileCache<Read>()
  const entries = () => overrideByName(roots.flatMap(pipelinesIn))
  const read = (name: string, known?: ReadonlyMap<string, CatalogEntry>): Read => {
    const first = entryAt(roots, name)
    if (first !== undefined) {
      const { path } = first
      return firstRoot.keep(name, [path], () => ({ entry: first, parsed: readPipeline(path) }))
    }
    const entry = findEntry('pipeline', name, known ?? entries())
    const { path } = entry
    const parsed =
      parsedFiles.find(path) ?? parsedFiles.keep(path, [path], () => readPipeline(path))
    return { entry, parsed }
  }
  return {
    entries,
    load: (name, known) => {
      const { entry, parsed } = firstRoot.find(name) ?? read(name, known)
      if (!parsed.ok) throw withReferences(entry, parsed.error, createCheck())
      const { definition, warnings } = parsed.value
      if (definition.name !== name) {
        throw new StewardError('invalid_definition', {
          file: entry.path,
          reason: `name is ${definition.name}, but the file is for ${name}; they must be the same`,
        })
      }
      return { definition, warnings, entry }
    },
  }
}

const pipelinesIn = ({ path, origin }: RootFolder): CatalogEntry[] => {
  const items = readFolder(path)
  const files = items.flatMap((item) => {
    const name = /^(P_[A-Za-z0-9_]+)\.ya?ml$/.exec(item.name)?.[1]
    return name === undefined
      ? []
      : [{ name, path: join(path, item.name), origin, overrides: false }]
  })
  const folders = items.flatMap((item) => {
    const file = join(path, item.name, 'PIPELINE.md')
    if (!item.isDirectory() || !existsSync(file)) return []
    const parsed = readPipeline(file)
    // An unreadable folder is listed under its own name, so that its error is visible.
    const name = parsed.ok ? parsed.value.definition.name : item.name
    return [{ name, path: file, origin, overrides: false }]
  })
  const yamlNames = new Set(files.map(({ name }) => name))
  return [...files, ...folders.filter(({ name }) => !yamlNames.has(name))]
}

/**
 * Fast path for the common case: a YAML file in the first root that has one, unless a folder may
 * override it.
 */
const entryAt = (roots: readonly RootFolder[], name: string): CatalogEntry | undefined => {
  const [user] = roots
  if (user === undefined || !/^P_[A-Z0-9_]+$/.test(name)) return undefined
  const path = join(user.path, `${name}.yaml`)
  return existsSync(path) ? { name, path, origin: user.origin, overrides: false } : undefined
}

/** The error of a pipeline that does not parse, with its mistakes in the names of actions. */
const withReferences = (
  { path }: CatalogEntry,
  error: StewardError,
  check: CheckReference,
): StewardError => {
  // Not kept: whether an action exists changes without this file.
  const again = readPipeline(path, check)
  return again.ok ? error : again.error
}

const readPipeline = (file: string, check?: CheckReference): Result<ParsedPipeline> => {
  const text = readFileSync(file, 'utf8')
  const [folder = '', name = ''] = file.split(/[\\/]/).slice(-2)
  const isMarkdown = name.endsWith('.md')
  const bundled = findBundled(BUNDLED_PIPELINES, isMarkdown ? `${folder}/${name}` : name, text)
  if (bundled !== undefined) return ok(bundled)
  if (!isMarkdown) return parsePipelineYaml(text, file, check)
  return parsePipelineMarkdown(text, file, folder, check)
}
