/** `feed-items` to `FEED_ITEMS`: the name under which a worker finds a queue. */
export const queueBinding = (queue: string): string =>
  queue.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')

/** Where messages go that failed too often; they must not vanish, so there always is one. */
export const deadLetterQueueOf = (queue: string): string => `${queue}-dead`
