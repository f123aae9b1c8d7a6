import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ActionManifestV2,
  actionManifestV2,
  describeIssues,
  type FlowEntry,
  issuesOf,
  type PipelineDefinition,
  parseJson,
  reasonOf,
  StewardError,
  unwrap,
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
  return {
    actions: [...catalog.actions.entries().values()].flatMap(({ name, path, origin }) =>
      attempt(name, () => readAction(name, path, origin !== 'built-in')),
    ),
    pipelines: [...catalog.pipelines.entries().keys()].flatMap((name) =>
      attempt(name, () => catalog.pipelines.load(name).definition),
    ),
    flows: attempt('flow-index.json', () => catalog.flows.all())
      .flat()
      .map(({ flow, folder }) => ({
        entry: flow,
        folder,
        feedLists: [join(userFlows, 'feeds.json'), join(folder, 'feeds.json')],
      })),
    unreadable,
  }
}

const readAction = (name: string, folder: string, isOwn: boolean): EdgeAction => {
  const definition = join(folder, 'action.json')
  const wrong = (file: string, reason: string) =>
    new StewardError('invalid_definition', { file, reason })
  const json = unwrap(parseJson(readFileSync(definition, 'utf8'), definition))
  const parsed = actionManifestV2.safeParse(json)
  if (!parsed.success) throw wrong(definition, describeIssues(issuesOf(parsed.error)))
  const manifest = parsed.data
  if (manifest.name !== name) {
    throw wrong(
      definition,
      `name is ${manifest.name}, but the folder is ${name}; they must be the same`,
    )
  }
  const file = MODULE_NAMES.map((module) => join(folder, module)).find(existsSync)
  if (file === undefined) {
    throw wrong(folder, `there is no implementation: add ${MODULE_NAMES[0]}`)
  }
  return { manifest, folder, file, isOwn }
}
