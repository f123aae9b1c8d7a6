import type { Fetch, FlowDestination } from '@steward/contract'
import { createApiDelivery } from './api.ts'
import { createDatabaseDelivery } from './database.ts'
import type { Delivery, Receipt } from './destination.ts'
import { createEmailDelivery, type SendEmail } from './email.ts'
import { createFileDelivery } from './file.ts'

export type { Delivery, Receipt } from './destination.ts'

export interface DestinationPorts {
  fetch: Fetch
  secret: (name: string) => string | undefined
  sendEmail: SendEmail
  /** Relative file paths are below this folder. */
  output: string
  /** Where locks on files that are written to are kept, out of the person’s sight. */
  locks: string
  /** Where the database destination writes when the entry names no file. */
  database: string
}

export const deliver = (
  destination: FlowDestination,
  delivery: Delivery,
  { fetch, secret, sendEmail, output, locks, database }: DestinationPorts,
): Promise<Receipt> => {
  switch (destination.type) {
    case 'file':
      return createFileDelivery(output, locks)(destination, delivery)
    case 'api':
      return createApiDelivery(fetch, secret)(destination, delivery)
    case 'database':
      return createDatabaseDelivery(database, output)(destination, delivery)
    case 'email':
      return createEmailDelivery(sendEmail)(destination, delivery)
  }
}
