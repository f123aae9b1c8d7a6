import { actionsIn, type FlowSchedule, reasonOf } from '@steward/contract'
import { describeTiming } from '@steward/engine'
import type { Catalog } from './catalog.ts'
import { flowMistake, pipelineMistake } from './check-references.ts'
import type { CatalogEntry } from './entry.ts'

export interface ListedEntry {
  name: string
  description: string | null
  origin: 'user' | 'built-in'
  /** It overrides a built-in one of the same name. */
  overrides: boolean
  path: string
  version?: string
  requires?: string[]
  actions?: string[]
  id?: string
  pipeline?: string
  enabled?: boolean
  intervalMinutes?: number
  /** The schedule in words. */
  schedule?: string
  runsOn?: 'here' | 'edge'
  /** Why it cannot be run; such an entry is still listed. */
  error?: string
}

export interface Listing {
  actions: ListedEntry[]
  pipelines: ListedEntry[]
  flows: ListedEntry[]
  /** Files that could not be read at all. */
  errors: string[]
}

/**
 * Everything in the catalog, each loaded as a run would load it, so that broken entries are
 * visible.
 */
export const listCatalog = async (changing: Catalog): Promise<Listing> => {
  const catalog = listOnce(changing)
  const actions = [...catalog.actions.entries().values()].map((entry) => listAction(catalog, entry))
  const pipelines = [...catalog.pipelines.entries().values()].map((entry) =>
    listPipeline(catalog, entry),
  )
  return { actions: byName(actions), pipelines: byName(pipelines), ...listFlows(catalog) }
}

/** The same catalog, with its folders listed only once. */
const listOnce = ({ actions, pipelines, flows }: Catalog): Catalog => {
  const actionEntries = actions.entries()
  const pipelineEntries = pipelines.entries()
  return {
    actions: { ...actions, entries: () => actionEntries },
    pipelines: {
      entries: () => pipelineEntries,
      load: (name) => pipelines.load(name, pipelineEntries),
    },
    flows,
  }
}

const listAction = ({ actions }: Catalog, entry: CatalogEntry): ListedEntry => {
  try {
    const { description, version, requires } = actions.describe(entry.name)
    return { ...entry, description, version, requires }
  } catch (thrown) {
    return { ...entry, description: null, error: reasonOf(thrown) }
  }
}

const listPipeline = ({ pipelines, actions }: Catalog, entry: CatalogEntry): ListedEntry => {
  try {
    const loaded = pipelines.load(entry.name)
    const { description, version, actions: names } = loaded.definition
    const mistake = pipelineMistake(loaded, actions)
    return {
      ...entry,
      description,
      version,
      actions: actionsIn(names),
      ...(mistake && { error: mistake.message }),
    }
  } catch (thrown) {
    return { ...entry, description: null, error: reasonOf(thrown) }
  }
}

const listFlows = ({ flows, pipelines, actions }: Catalog): Pick<Listing, 'flows' | 'errors'> => {
  const { flows: broken, files } = flows.problems()
  const listed = flows.all().map((loaded): ListedEntry => {
    const { flow, origin, overrides, file } = loaded
    const mistake = flowMistake(loaded, pipelines, actions)
    return {
      name: flow.name,
      description: flow.description ?? null,
      origin,
      overrides,
      path: file,
      id: flow.id,
      ...(flow.pipeline === undefined ? {} : { pipeline: flow.pipeline }),
      ...scheduleOf(flow.schedule),
      ...(mistake && { error: mistake.message }),
    }
  })
  const unusable = broken.map(
    ({ name, origin, file, error }): ListedEntry => ({
      name,
      description: null,
      origin,
      overrides: false,
      path: file,
      error: error.message,
    }),
  )
  return { flows: byName([...listed, ...unusable]), errors: files.map(({ message }) => message) }
}

const scheduleOf = (schedule: FlowSchedule) => {
  const { enabled, intervalMinutes, runsOn } = schedule
  return {
    enabled,
    ...(intervalMinutes === undefined ? {} : { intervalMinutes }),
    schedule: describeTiming(schedule),
    ...(runsOn === undefined ? {} : { runsOn }),
  }
}

const byName = (entries: ListedEntry[]): ListedEntry[] =>
  entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
