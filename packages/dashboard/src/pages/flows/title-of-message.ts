import type { QueueMessageView } from '@steward/contract'

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

/** What a person would call a queued item: its title, else its id, else the message's. */
export const titleOfMessage = ({ body, id }: Pick<QueueMessageView, 'body' | 'id'>): string => {
  const item = fieldOf(body, 'item')
  const named = [fieldOf(item, 'title'), fieldOf(item, 'id')]
  return named.find((name) => typeof name === 'string' && name !== '')?.toString() ?? id
}
