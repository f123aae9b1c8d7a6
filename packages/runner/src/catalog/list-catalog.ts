import { reasonOf } from '@steward/contract'
import type { Catalog } from './catalog.ts'
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
export const listCatalog = async (catalog: Catalog): Promise<Listing> => {
  const actions = await Promise.all(
    [...catalog.actions.entries().values()].map((entry) => listAction(catalog, entry)),
  )
  const known = new Set(actions.filter(({ error }) => error === undefined).map(({ name }) => name))
  const pipelines = [...catalog.pipelines.entries().values()].map((entry) =>
    listPipeline(catalog, entry, known),
  )
  return { actions: byName(actions), pipelines: byName(pipelines), ...listFlows(catalog) }
}

const listAction = async (catalog: Catalog, entry: CatalogEntry): Promise<ListedEntry> => {
  try {
    const { description, version, requires } = (await catalog.actions.load(entry.name)).manifest
    return { ...entry, description, version, requires }
  } catch (thrown) {
    return { ...entry, description: null, error: reasonOf(thrown) }
  }
}

const listPipeline = (
  catalog: Catalog,
  entry: CatalogEntry,
  known: ReadonlySet<string>,
): ListedEntry => {
  try {
    const { description, version, actions } = catalog.pipelines.load(entry.name).definition
    const missing = actions.filter((name) => !known.has(name))
    const listed = { ...entry, description, version, actions }
    if (missing.length === 0) return listed
    return { ...listed, error: `does not load: ${missing.join(', ')}` }
  } catch (thrown) {
    return { ...entry, description: null, error: reasonOf(thrown) }
  }
}

const listFlows = (catalog: Catalog): Pick<Listing, 'flows' | 'errors'> => {
  try {
    const flows = catalog.flows.all().map(({ flow, origin, overrides, file }) => ({
      name: flow.name,
      description: flow.description ?? null,
      origin,
      overrides,
      path: file,
      id: flow.id,
      pipeline: flow.pipeline,
      ...flow.schedule,
    }))
    return { flows: byName(flows), errors: [] }
  } catch (thrown) {
    return { flows: [], errors: [reasonOf(thrown)] }
  }
}

const byName = (entries: ListedEntry[]): ListedEntry[] =>
  entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
