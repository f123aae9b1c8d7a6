import type { Fetch, FlowDestination } from '@steward/contract'
import {
  createApiDelivery,
  createDiscordDelivery,
  createEmailDelivery,
  createNoteDelivery,
  createNoticeDelivery,
  createQueueDelivery,
  createS3Delivery,
  createSlackDelivery,
  createWebhookDelivery,
  type Delivery,
  type OpenProducer,
  type Receipt,
  type SendEmail,
  type SendNotice,
  type WriteNote,
} from '@steward/engine'
import type { Confinement } from '@steward/platform'
import { createDatabaseDelivery } from './database.ts'
import { createFileDelivery } from './file.ts'
import { createGitDelivery } from './git.ts'

export interface DestinationPorts {
  fetch: Fetch
  secret: (name: string) => string | undefined
  sendEmail: SendEmail
  /** Sends notifications; provided by the caller that opened this Steward. */
  sendNotice: SendNotice
  /** Writes knowledge notes; provided by the same caller. */
  writeNote: WriteNote
  /** Where files and databases may be written. */
  folders: Confinement
  /** Where locks on output files are kept, hidden from the user. */
  locks: string
  /** The default file of the database destination. */
  database: string
  /** Opens the producer of a queue by name, for the queue destination. */
  producer: OpenProducer
}

export const deliver = (
  destination: FlowDestination,
  delivery: Delivery,
  ports: DestinationPorts,
): Promise<Receipt> => {
  const { fetch, secret, folders, locks } = ports
  switch (destination.type) {
    case 'file':
      return createFileDelivery(folders, locks)(destination, delivery)
    case 'api':
      return createApiDelivery(fetch, secret)(destination, delivery)
    case 'database':
      return createDatabaseDelivery(ports.database, folders)(destination, delivery)
    case 'email':
      return createEmailDelivery(ports.sendEmail)(destination, delivery)
    case 'queue':
      return createQueueDelivery(ports.producer)(destination, delivery)
    case 'notify':
      return createNoticeDelivery(ports.sendNotice)(destination, delivery)
    case 'note':
      return createNoteDelivery(ports.writeNote)(destination, delivery)
    case 'webhook':
      return createWebhookDelivery(fetch, secret)(destination, delivery)
    case 'slack':
      return createSlackDelivery(fetch, secret)(destination, delivery)
    case 'discord':
      return createDiscordDelivery(fetch, secret)(destination, delivery)
    case 's3':
      return createS3Delivery(fetch, secret)(destination, delivery)
    case 'git':
      return createGitDelivery(folders, locks)(destination, delivery)
  }
}
