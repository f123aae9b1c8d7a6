import { type FlowSource, StewardError } from '@steward/contract'
import {
  type FlowItem,
  itemsOfDocument,
  itemsOfFeed,
  readApi,
  readFeed,
  type WebSourcePorts,
} from '@steward/engine'
import { type FlowAssets, filesAt } from './assets.ts'

/** Sources that are asked; webhooks, queues and lists of feeds come in by other doors. */
export type AskedSource = Extract<FlowSource, { type: 'rss' | 'api' | 'file' }>

/** Everything the source has now, in its order. */
export const readSource = async (
  source: AskedSource,
  assets: FlowAssets,
  ports: WebSourcePorts,
): Promise<FlowItem[]> => {
  switch (source.type) {
    case 'api':
      return readApi(source, ports)
    case 'rss':
      if (/^https?:/i.test(source.url)) return readFeed(source.url, ports.fetch)
      return inlined(assets, source.url).flatMap(([, text]) =>
        itemsOfFeed(text, { url: source.url }),
      )
    case 'file':
      return inlined(assets, source.path).flatMap(([path, text]) =>
        itemsOfDocument(path, text, source.format),
      )
  }
}

const inlined = (assets: FlowAssets, path: string): [string, string][] => {
  const found = filesAt(assets, path)
  if (found.length > 0) return found
  throw new StewardError('upstream_failed', {
    service: path,
    reason: 'the worker was built without this file; run `steward edge build` again',
  })
}
