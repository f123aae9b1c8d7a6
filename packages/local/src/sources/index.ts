import type { FlowSource } from '@steward/contract'
import type { FlowItem } from '@steward/engine'
import { readApi } from './api.ts'
import { readFiles } from './file.ts'
import { readRss } from './rss.ts'
import type { SourcePorts } from './source.ts'
import { readWebhook } from './webhook.ts'

export { expandHeaders } from './expand-headers.ts'
export { openWebhook } from './webhook.ts'

/** Everything the source has now, in its order. `webhookBody` is the verified body of the call. */
export const readSource = async (
  source: FlowSource,
  ports: SourcePorts,
  webhookBody: string | undefined,
): Promise<FlowItem[]> => {
  switch (source.type) {
    case 'rss':
      return readRss(source, ports)
    case 'api':
      return readApi(source, ports)
    case 'file':
      return readFiles(source, ports)
    case 'webhook':
      return webhookBody === undefined ? [] : readWebhook(source, webhookBody)
  }
}
