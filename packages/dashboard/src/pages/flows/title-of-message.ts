import type { QueueMessageView } from '@steward/contract'

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

/** The title of a queued item, or else its id, or else the message's. */
export const titleOfMessage = ({ body, id }: Pick<QueueMessageView, 'body' | 'id'>): string => {
  const item = fieldOf(body, 'item')
  const named = [fieldOf(item, 'title'), fieldOf(item, 'id')]
  return named.find((name) => typeof name === 'string' && name !== '')?.toString() ?? id
}
