import type { Fetch, FlowDestination } from '@steward/contract'
import {
  createApiDelivery,
  createEmailDelivery,
  createNoticeDelivery,
  createQueueDelivery,
  type Delivery,
  type OpenProducer,
  type Receipt,
  type SendEmail,
  type SendNotice,
} from '@steward/engine'
import type { Confinement } from '@steward/platform'
import { createDatabaseDelivery } from './database.ts'
import { createFileDelivery } from './file.ts'

export interface DestinationPorts {
  fetch: Fetch
  secret: (name: string) => string | undefined
  sendEmail: SendEmail
  /** Sends notifications; provided by the caller that opened this Steward. */
  sendNotice: SendNotice
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
  { fetch, secret, sendEmail, sendNotice, folders, locks, database, producer }: DestinationPorts,
): Promise<Receipt> => {
  switch (destination.type) {
    case 'file':
      return createFileDelivery(folders, locks)(destination, delivery)
    case 'api':
      return createApiDelivery(fetch, secret)(destination, delivery)
    case 'database':
      return createDatabaseDelivery(database, folders)(destination, delivery)
    case 'email':
      return createEmailDelivery(sendEmail)(destination, delivery)
    case 'queue':
      return createQueueDelivery(producer)(destination, delivery)
    case 'notify':
      return createNoticeDelivery(sendNotice)(destination, delivery)
  }
}
