import type { EventRow } from './join-events.ts'

/** Downloads the events of these rows as a file, one JSON object per line, oldest first. */
export const saveEvents = (rows: readonly EventRow[]): void => {
  const lines = rows
    .toReversed()
    .flatMap(({ events }) => events)
    .map((event) => `${JSON.stringify(event)}\n`)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }))
  link.download = 'steward-events.jsonl'
  link.click()
  URL.revokeObjectURL(link.href)
}
