import type { DaemonClient } from '@steward/contract'

const NOTES = [
  {
    domain: 'Ideas',
    title: 'Pickup messages',
    tags: ['orders'],
    body: 'Customers come twice as often on the day of the message. See [[how-people-order]] and [[lena-winter]].',
  },
  {
    domain: 'Research',
    title: 'How people order',
    slug: 'how-people-order',
    tags: ['orders', 'measured'],
    body: 'Two thirds order after eight in the evening, on a phone.',
  },
  {
    domain: 'People',
    title: 'Lena Winter',
    slug: 'lena-winter',
    tags: ['publisher'],
    body: 'Sends the price list of the publisher, usually on the first Tuesday of a month.',
  },
] as const

const OFFER = 'A first edition of 1931 in good condition, with its dust jacket, for 48.00 euros.'

/** The parts that a running daemon makes: notes, runs with the offline model, a task. */
export const playDemoDay = async (client: DaemonClient): Promise<void> => {
  for (const { tags, ...note } of NOTES) {
    await client.call('createNote', { body: { ...note, tags: [...tags] } })
  }
  await client.call('startRun', { body: { name: 'F_SAMPLE_DIGEST' } })
  await client.call('startRun', { body: { name: 'P_PRICE_CHECK', input: { content: OFFER } } })
  const unpriced = 'Three boxes of paperbacks, mostly novels. Price on request.'
  await client.call('startRun', { body: { name: 'P_PRICE_CHECK', input: { content: unpriced } } })
  await client.call('createTask', {
    body: {
      description: 'Ask Lena for the price list',
      schedule: 'every tuesday at 9',
      action: { type: 'notify', message: 'The price list should be out.' },
    },
  })
}
