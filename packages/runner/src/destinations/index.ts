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
  /** Tells people; whoever opened this Steward brings it. */
  sendNotice: SendNotice
  /** Where files and databases may be written. */
  folders: Confinement
  /** Where locks on files that are written to are kept, out of the person’s sight. */
  locks: string
  /** Where the database destination writes when the entry names no file. */
  database: string
  /** Where the queue destination sends to, by the queue’s name. */
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
