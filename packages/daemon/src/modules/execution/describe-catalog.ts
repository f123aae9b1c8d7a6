import { type Fields, reasonOf } from '@steward/contract'
import { type Catalog, describePrimitive, type ListedEntry, listCatalog } from '@steward/local'

/** What there is to run, with what each takes. Where it lies on this machine is nobody's business. */
export const describeCatalog = async (
  catalog: Catalog,
): Promise<{ actions: Fields[]; pipelines: Fields[]; flows: Fields[]; errors: string[] }> => {
  const { actions, pipelines, flows, errors } = await listCatalog(catalog)
  const describeAll = (entries: readonly ListedEntry[]) =>
    Promise.all(entries.map((entry) => describeEntry(catalog, entry)))
  return {
    actions: await describeAll(actions),
    pipelines: await describeAll(pipelines),
    flows: await describeAll(flows),
    errors,
  }
}

const describeEntry = async (catalog: Catalog, entry: ListedEntry): Promise<Fields> => {
  const { path: _hidden, ...shown } = entry
  if (entry.error !== undefined) return shown
  try {
    const { input, output } = await describePrimitive(catalog, entry.name)
    return { ...shown, ...(input && { input }), ...(output && { output }) }
  } catch (thrown) {
    return { ...shown, error: reasonOf(thrown) }
  }
}
