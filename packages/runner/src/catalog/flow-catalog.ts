import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type FlowEntry,
  type Issue,
  nearestHint,
  StewardError,
  toStewardError,
} from '@steward/contract'
import {
  type FlowReferences,
  parseFlowIndex,
  type ReadFlow,
  type ReadFlowIndex,
} from '@steward/engine'
import { isAbsent } from '@steward/platform'
import { BUNDLED_FLOWS, findBundled } from './bundled-definitions.ts'
import type { Origin, RootFolder } from './roots.ts'

export interface LoadedFlow {
  flow: FlowEntry
  origin: Origin
  /** Relative paths in the entry are relative to this folder. */
  folder: string
  file: string
  overrides: boolean
}

/** Mistakes in the pipeline that a flow names, and in how it uses it. */
type CheckReferences = (flow: FlowReferences) => Issue[]

/** An entry of a registry that is not a valid flow. */
interface BrokenFlow {
  name: string
  id?: string
  origin: Origin
  file: string
  error: StewardError
}

interface FlowProblems {
  flows: BrokenFlow[]
  /** Registry files that cannot be read, or are wrong outside of their entries. */
  files: StewardError[]
}

export interface FlowCatalog {
  /** All valid flows; a broken definition does not hide the others. */
  all: () => LoadedFlow[]
  problems: () => FlowProblems
  /** The user's registries as they are, for what must not wait for their check. */
  texts: () => string[]
  /** By name or id. */
  load: (nameOrId: string) => LoadedFlow
}

/**
 * Flows are the entries of the user's and the built-in `flow-index.json`; the user's override by
 * name or id.
 */
export const createFlowCatalog = (
  roots: readonly RootFolder[],
  checkReferences: CheckReferences,
): FlowCatalog => {
  const read = () => {
    const kept: LoadedFlow[] = []
    const problems: FlowProblems = { flows: [], files: [] }
    for (const { origin, file, index } of roots.map((root) => readRoot(root, checkReferences))) {
      if (index.error !== undefined) problems.files.push(index.error)
      for (const found of index.flows) {
        const first = kept.find(({ flow }) => isSame(flow, found))
        if (first !== undefined) first.overrides = true
        // A broken flow of the user still overrides: the built-in one would be a surprise.
        else if (problems.flows.some((broken) => isSame(broken, found))) continue
        else if ('error' in found) problems.flows.push({ ...found, origin, file })
        else kept.push({ flow: found.entry, origin, folder: dirname(file), file, overrides: false })
      }
    }
    return { flows: kept, problems }
  }
  return {
    all: () => read().flows,
    problems: () => read().problems,
    texts: () =>
      roots.flatMap(({ path, origin }) => {
        const text = origin === 'user' ? readText(join(path, 'flow-index.json')) : undefined
        return typeof text === 'string' ? [text] : []
      }),
    load: (nameOrId) => {
      const { flows, problems } = read()
      const wanted = { name: nameOrId, id: nameOrId }
      const found = flows.find(({ flow }) => isSame(flow, wanted))
      if (found !== undefined) return found
      const broken = problems.flows.find((flow) => isSame(flow, wanted)) ?? {
        error: problems.files[0],
      }
      if (broken.error !== undefined) throw broken.error
      const known = flows.flatMap(({ flow }) => [flow.name, flow.id])
      throw new StewardError('not_found', {
        what: 'flow',
        name: nameOrId,
        hint: nearestHint(nameOrId, known),
      })
    },
  }
}

const isSame = (
  one: Pick<ReadFlow, 'name' | 'id'>,
  other: Pick<ReadFlow, 'name' | 'id'>,
): boolean => one.name === other.name || (one.id !== undefined && one.id === other.id)

const readRoot = ({ path, origin }: RootFolder, checkReferences: CheckReferences) => {
  const file = join(path, 'flow-index.json')
  return { origin, file, index: readIndex(file, checkReferences) }
}

/** The text of a registry, undefined if there is none, or why it cannot be read. */
const readText = (file: string): string | StewardError | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined
    return toStewardError(thrown, 'storage_failed', { path: file })
  }
}

const readIndex = (file: string, checkReferences: CheckReferences): ReadFlowIndex => {
  const text = readText(file)
  if (typeof text !== 'string') return { flows: [], ...(text === undefined ? {} : { error: text }) }
  const bundled = findBundled(BUNDLED_FLOWS, 'flow-index.json', text)
  if (bundled === undefined) return parseFlowIndex(text, file, checkReferences)
  return { flows: bundled.map((entry) => ({ name: entry.name, id: entry.id, entry })) }
}
