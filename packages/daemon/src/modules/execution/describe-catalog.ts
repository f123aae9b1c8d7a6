import { join } from 'node:path'
import {
  type CatalogEntry,
  type CatalogView,
  destinationsOf,
  type FlowDestination,
  type FlowEntry,
  type FlowSource,
  primitiveOf,
  reasonOf,
  sourcesOf,
} from '@steward/contract'
import { describeDigest } from '@steward/engine'
import { type Catalog, describePrimitive, type ListedEntry, listCatalog } from '@steward/runner'
import { drawSteps } from './draw-steps.ts'

/** Masks secrets in shown addresses. */
export type Redact = (text: string) => string

/** Everything that can be run, with its inputs. Paths of this machine are not exposed. */
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
    const isPipeline = primitiveOf(entry.name) === 'pipeline'
    return {
      ...shown,
      ...(isPipeline && {
        steps: drawSteps(catalog.pipelines.load(entry.name).definition.actions),
      }),
      ...(input && { input }),
      ...(output && { output }),
      ...(flow && describeEnds(flow, redact)),
    }
  } catch (thrown) {
    return { ...shown, error: reasonOf(thrown) }
  }
}

const describeEnds = (flow: FlowEntry, redact: Redact) => {
  const sources = sourcesOf(flow).map((source) => ({
    type: source.type,
    where: redact(describeSource(source)),
  }))
  const destinations = destinationsOf(flow).map((destination) => ({
    type: destination.type,
    where: redact(describeDestination(destination)),
  }))
  const [source] = sources
  const [destination] = destinations
  return {
    ...(source && { source }),
    sources,
    ...(destination && { destination }),
    destinations,
    ...(flow.filter !== undefined && { filter: flow.filter }),
    ...(flow.digest && { digest: describeDigest(flow.digest) }),
    ...(flow.loop && { loop: flow.loop }),
  }
}

/** A short description of a flow's source. */
const describeSource = (source: FlowSource): string => {
  switch (source.type) {
    case 'rss':
    case 'api':
    case 'page':
      return source.url
    case 'webhook':
      return 'signed requests'
    case 'file':
      return source.path
    case 'feeds':
      return 'feeds.json'
    case 'queue':
      return source.queue
    case 'folder':
      return join(source.path, source.glob)
    case 'mailbox':
      return `${source.folder} of ${source.user}, ${source.host}`
    case 'command':
      return source.command.join(' ')
    case 'usage':
      return `usage of the last ${source.period}`
  }
}

/** A short description of a flow's destination. */
const describeDestination = (destination: FlowDestination): string => {
  switch (destination.type) {
    case 'email':
      return destination.address
    case 'file':
      return destination.path
    case 'database':
      return destination.table
    case 'api':
      return destination.url
    case 'queue':
      return destination.queue
    case 'notify':
      return destination.kind ?? 'your channels'
    case 'note':
      return `${destination.domain} notes`
    case 'webhook':
      return destination.url
    case 'slack':
    case 'discord':
      return `the webhook in ${destination.secret}`
    case 'git':
      return join(destination.repository, destination.folder)
    case 's3':
      return `${destination.bucket}/${destination.prefix}`
  }
}
