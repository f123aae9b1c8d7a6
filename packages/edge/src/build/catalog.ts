import { join } from 'node:path'
import {
  type ActionManifestV2,
  actionsIn,
  type FlowEntry,
  type PipelineDefinition,
  reasonOf,
} from '@steward/contract'
import {
  type Catalog,
  flowMistake,
  type LoadedFlow,
  type LoadedPipeline,
  pipelineMistake,
} from '@steward/runner'

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
  /** Whether it is a program, which no worker can run. */
  isProgram?: boolean
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
  /** Definitions that do not fit the ones they name, with file and line. */
  unfitting?: readonly Mistake[]
}

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
  const actions = [...catalog.actions.entries().values()].flatMap(({ name, path, origin }) =>
    attempt(name, () => readAction(catalog, name, path, origin !== 'built-in')),
  )
  const pipelines = [...catalog.pipelines.entries().keys()].flatMap((name) =>
    attempt(name, () => catalog.pipelines.load(name)),
  )
  const flows = catalog.flows.all()
  return {
    actions,
    pipelines: pipelines.map(({ definition }) => definition),
    flows: flows.map(({ flow, folder }) => ({
      entry: flow,
      folder,
      feedLists: [join(userFlows, 'feeds.json'), join(folder, 'feeds.json')],
    })),
    unreadable,
    unfitting: findUnfitting(catalog, pipelines, flows, new Set(actions.map(nameOfAction))),
  }
}

const nameOfAction = ({ manifest }: EdgeAction): string => manifest.name

/**
 * The mistakes between definitions, as `steward list` reports them. A definition that only names a
 * broken one has no mistake of its own.
 */
const findUnfitting = (
  catalog: Catalog,
  pipelines: readonly LoadedPipeline[],
  flows: readonly LoadedFlow[],
  loadable: ReadonlySet<string>,
): Mistake[] => {
  const known = catalog.actions.entries()
  const isWhole = ({ definition }: LoadedPipeline) =>
    actionsIn(definition.actions).every((action) => loadable.has(action))
  const mistakenPipelines = pipelines
    .filter(({ definition }) => actionsIn(definition.actions).some((action) => !known.has(action)))
    .map((loaded) => ({
      subject: loaded.definition.name,
      error: pipelineMistake(loaded, catalog.actions),
    }))
  const isBroken = (name: string): boolean =>
    catalog.pipelines.entries().has(name) &&
    !pipelines.some((loaded) => loaded.definition.name === name && isWhole(loaded))
  const mistakenFlows = flows
    .filter(({ flow }) => flow.pipeline !== undefined && !isBroken(flow.pipeline))
    .map((loaded) => ({
      subject: loaded.flow.name,
      error: flowMistake(loaded, catalog.pipelines, catalog.actions),
    }))
  return [...mistakenPipelines, ...mistakenFlows].flatMap(({ subject, error }) =>
    error === undefined ? [] : [{ subject, reason: error.message }],
  )
}

const readAction = (
  { actions }: Catalog,
  name: string,
  folder: string,
  isOwn: boolean,
): EdgeAction => {
  const { manifest, source, hash, command } = actions.read(name)
  return { manifest, folder, file: source, hash, isOwn, isProgram: command !== undefined }
}
