import type { FlowSource } from '@steward/contract'
import { type FlowItem, readApi, readWebhook, type WebhookDelivery } from '@steward/engine'
import { readCommand } from './command.ts'
import { readFiles } from './file.ts'
import { readFolder } from './folder.ts'
import { readMailbox } from './mailbox.ts'
import type { SourcePorts } from './source.ts'
import { readUsage } from './usage.ts'
import { readAnyPage, readRss } from './web-or-file.ts'

export type { ReadUsage } from './source.ts'

/** Sources that are read completely; feeds and queues record themselves what is new. */
export type ItemSource = Exclude<FlowSource, { type: 'feeds' | 'queue' }>

/** All current items of the source, in order. `webhook` is a verified call. */
export const readSource = async (
  source: ItemSource,
  ports: SourcePorts,
  webhook: Pick<WebhookDelivery, 'body' | 'id'> | undefined,
): Promise<FlowItem[]> => {
  switch (source.type) {
    case 'rss':
      return readRss(source, ports)
    case 'api':
      return readApi(source, ports)
    case 'page':
      return readAnyPage(source, ports)
    case 'file':
      return readFiles(source, ports)
    case 'folder':
      return readFolder(source, ports)
    case 'mailbox':
      return readMailbox(source, ports)
    case 'command':
      return readCommand(source, ports)
    case 'usage':
      return readUsage(source, ports)
    case 'webhook':
      return webhook === undefined ? [] : readWebhook(source, webhook.body, webhook.id)
  }
}
