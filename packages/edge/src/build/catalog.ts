import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ActionManifestV2,
  type FlowEntry,
  type PipelineDefinition,
  reasonOf,
  StewardError,
} from '@steward/contract'
import type { Catalog } from '@steward/runner'

/** An error in a definition: which primitive or file, and what is wrong with it. */
export interface Mistake {
  subject: string
  reason: string
}

/** An action on disk: `file` is its module inside `folder`. */
export interface EdgeAction {
  manifest: ActionManifestV2
  folder: string
  file: string
  /** Of its source files. */
  hash: string
  /** Whether it is the user's own, not one that ships with Steward. */
  isOwn: boolean
}

/** A flow of a registry; relative paths in its entry are relative to `folder`. */
export interface EdgeFlow {
  entry: FlowEntry
  folder: string
  /** Files that may list the feeds of a feeds source; the first one with entries is used. */
  feedLists: readonly string[]
}

/** Everything to build, as plain data. The user's definitions have replaced built-in ones of the same name. */
export interface EdgeCatalog {
  actions: readonly EdgeAction[]
  pipelines: readonly PipelineDefinition[]
  flows: readonly EdgeFlow[]
  /** Unreadable definitions, reported together with all other mistakes. */
  unreadable: readonly Mistake[]
}

const MODULE_NAMES = ['action.ts', 'action.js', 'action.mjs']

/**
 * Reads all definitions without running any action's code. `userFlows` is the folder of the user's
 * own flows, whose list of feeds takes precedence, as it does locally.
 */
export const readEdgeCatalog = (catalog: Catalog, userFlows: string): EdgeCatalog => {
  const unreadable: Mistake[] = []
  const attempt = <Value>(subject: string, read: () => Value): Value[] => {
    try {
      return [read()]
    } catch (thrown) {
      unreadable.push({ subject, reason: reasonOf(thrown) })
      return []
    }
  }
  const problems = catalog.flows.problems()
  unreadable.push(
    ...problems.files.map(({ message }) => ({ subject: 'flow-index.json', reason: message })),
    ...problems.flows.map(({ name, error }) => ({ subject: name, reason: error.message })),
  )
  return {
    actions: [...catalog.actions.entries().values()].flatMap(({ name, path, origin }) =>
      attempt(name, () => readAction(catalog, name, path, origin !== 'built-in')),
    ),
    pipelines: [...catalog.pipelines.entries().keys()].flatMap((name) =>
      attempt(name, () => catalog.pipelines.load(name).definition),
    ),
    flows: catalog.flows.all().map(({ flow, folder }) => ({
      entry: flow,
      folder,
      feedLists: [join(userFlows, 'feeds.json'), join(folder, 'feeds.json')],
    })),
    unreadable,
  }
}

const readAction = (
  { actions }: Catalog,
  name: string,
  folder: string,
  isOwn: boolean,
): EdgeAction => {
  const { manifest, hash } = actions.read(name)
  const file = MODULE_NAMES.map((module) => join(folder, module)).find(existsSync)
  if (file !== undefined) return { manifest, folder, file, hash, isOwn }
  const reason = `there is no implementation: add ${MODULE_NAMES[0]}`
  throw new StewardError('invalid_definition', { file: folder, reason })
}
