import { type CatalogEntry, type CatalogView, type FlowEntry, reasonOf } from '@steward/contract'
import { type Catalog, describePrimitive, type ListedEntry, listCatalog } from '@steward/runner'
import { describeDestination, describeSource } from './describe-ends.ts'

/** Hides secrets in what is shown of addresses. */
export type Redact = (text: string) => string

/** What there is to run, with what each takes. Where it lies on this machine is nobody's business. */
export const describeCatalog = async (catalog: Catalog, redact: Redact): Promise<CatalogView> => {
  const { actions, pipelines, flows, errors } = await listCatalog(catalog)
  const describeAll = (entries: readonly ListedEntry[]) =>
    Promise.all(entries.map((entry) => describeEntry(catalog, entry, redact)))
  return {
    actions: await describeAll(actions),
    pipelines: await describeAll(pipelines),
    flows: await describeAll(flows),
    errors,
  }
}

const describeEntry = async (
  catalog: Catalog,
  entry: ListedEntry,
  redact: Redact,
): Promise<CatalogEntry> => {
  const { path: _hidden, ...shown } = entry
  if (entry.error !== undefined) return shown
  try {
    const { input, output, flow } = await describePrimitive(catalog, entry.name)
    return {
      ...shown,
      ...(input && { input }),
      ...(output && { output }),
      ...(flow && describeEnds(flow, redact)),
    }
  } catch (thrown) {
    return { ...shown, error: reasonOf(thrown) }
  }
}

const describeEnds = ({ source, destination, loop }: FlowEntry, redact: Redact) => ({
  source: { type: source.type, where: redact(describeSource(source)) },
  destination: { type: destination.type, where: redact(describeDestination(destination)) },
  ...(loop && { loop }),
})
