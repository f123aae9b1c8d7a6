import type { ModelClient, ModelClientPorts } from './model-client.ts'
import { createOfflineClient } from './offline/offline-client.ts'
import { PRICES } from './prices/price-table.ts'
import { createVendorClient } from './vendor-client.ts'

/** The only way to call a model, whichever provider answers. */
export const createModelClient = ({ prices, ...ports }: ModelClientPorts): ModelClient =>
  ports.choice.provider === 'offline'
    ? createOfflineClient()
    : createVendorClient({ ...ports, prices: { ...PRICES, ...prices } })
