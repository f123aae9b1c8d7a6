import type { NewDelivery } from '../delivery.ts'

export const deliveryOf = (given: Partial<NewDelivery> = {}): NewDelivery => ({
  channel: 'push',
  kind: 'error',
  sessionId: null,
  title: 'Error',
  message: 'It broke.',
  priority: 3,
  tags: [],
  click: null,
  color: null,
  ...given,
})
