import type { Notifier } from '@steward/notify'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'

const TITLE_CHARS = 40

/** Deliveries per channel with their outcomes, newest first. */
export const showLog = (io: Io, notifier: Notifier, limit: number, json: boolean): void => {
  const deliveries = notifier.deliveries(limit).map((delivery) => ({
    id: delivery.id,
    at: new Date(delivery.createdAt).toISOString(),
    channel: delivery.channel,
    kind: delivery.kind,
    title: delivery.title,
    state: delivery.state,
    attempts: delivery.attempts,
    detail: delivery.detail,
  }))
  if (json) {
    printJson(io.out, deliveries)
    return
  }
  if (deliveries.length === 0) {
    io.out.write('nothing was sent yet\n')
    return
  }
  const rows = deliveries.map(({ at, channel, kind, state, attempts, title, detail }) => [
    formatTime(at),
    channel,
    kind ?? '-',
    state,
    String(attempts),
    cleanText(shorten(title)),
    cleanText(detail ?? ''),
  ])
  io.out.write(formatTable([HEADINGS, ...rows]))
}

const HEADINGS = ['when', 'channel', 'kind', 'state', 'attempts', 'title', 'detail']

const shorten = (title: string): string => {
  const chars = [...title]
  return chars.length <= TITLE_CHARS ? title : `${chars.slice(0, TITLE_CHARS - 1).join('')}…`
}
