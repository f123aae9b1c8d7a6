import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  describeIssues,
  type FlowEntry,
  flowIndex,
  issuesOf,
  nearestHint,
  parseJson,
  StewardError,
  unwrap,
} from '@steward/contract'
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

export interface FlowCatalog {
  all: () => LoadedFlow[]
  /** By name or id. */
  load: (nameOrId: string) => LoadedFlow
}

/**
 * Flows are the entries of the user's and the built-in `flow-index.json`; the user's override by
 * name or id.
 */
export const createFlowCatalog = (roots: readonly RootFolder[]): FlowCatalog => {
  const all = () => {
    const kept: LoadedFlow[] = []
    for (const loaded of roots.flatMap(flowsIn)) {
      const first = kept.find(
        ({ flow }) => flow.name === loaded.flow.name || flow.id === loaded.flow.id,
      )
      if (first === undefined) kept.push(loaded)
      else first.overrides = true
    }
    return kept
  }
  return {
    all,
    load: (nameOrId) => {
      const flows = all()
      const found = flows.find(({ flow }) => flow.name === nameOrId || flow.id === nameOrId)
      if (found !== undefined) return found
      const known = flows.flatMap(({ flow }) => [flow.name, flow.id])
      throw new StewardError('not_found', {
        what: 'flow',
        name: nameOrId,
        hint: nearestHint(nameOrId, known),
      })
    },
  }
}

const flowsIn = ({ path, origin }: RootFolder): LoadedFlow[] => {
  const file = join(path, 'flow-index.json')
  const text = readIfThere(file)
  if (text === undefined) return []
  const flows = findBundled(BUNDLED_FLOWS, 'flow-index.json', text) ?? parseFlows(text, file)
  return flows.map((flow) => ({ flow, origin, folder: dirname(file), file, overrides: false }))
}

const parseFlows = (text: string, file: string): FlowEntry[] => {
  const json = unwrap(parseJson(text, file))
  const parsed = flowIndex.safeParse(json)
  if (!parsed.success) {
    throw new StewardError('invalid_definition', {
      file,
      reason: describeIssues(issuesOf(parsed.error)),
    })
  }
  return parsed.data.flows
}

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
