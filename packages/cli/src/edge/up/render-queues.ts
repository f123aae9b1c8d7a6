import type { StoredMessage } from '@steward/runner'
import { cleanText } from '../../output/clean-text.ts'
import { formatDuration } from '../../output/format.ts'
import { formatTable } from '../../output/table.ts'
import type { QueueLine } from './queue-view.ts'

export const renderQueues = (queues: readonly QueueLine[], nowMs: number): string => {
  if (queues.length === 0) return 'no queues yet\n'
  const rows = queues.map(({ queue, consumer, ready, delayed, leased, dead, oldest }) => [
    queue,
    String(ready),
    String(delayed),
    String(leased),
    String(dead),
    oldest === null ? '' : formatDuration(Math.max(0, nowMs - Date.parse(oldest))),
    consumer ?? '(nobody)',
  ])
  return formatTable([
    ['queue', 'ready', 'delayed', 'leased', 'dead', 'oldest', 'taken by'],
    ...rows,
  ])
}

const BODY_CHARS = 100

export const renderMessages = (
  messages: readonly (Omit<StoredMessage, 'sentAt'> & { sentAt: string })[],
): string => {
  if (messages.length === 0) return '\nno messages\n'
  const rows = messages.map(({ id, state, attempts, sentAt, body }) => {
    const text = cleanText(JSON.stringify(body))
    const shown = text.length > BODY_CHARS ? `${text.slice(0, BODY_CHARS)}…` : text
    return [id.slice(0, 8), state, `${attempts} deliveries`, sentAt, shown]
  })
  return `\n${formatTable(rows)}`
}
