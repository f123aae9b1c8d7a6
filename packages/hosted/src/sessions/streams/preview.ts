import { eventDelta, eventStart, type PreviewedEventType } from '@steward/contract'
import { z } from 'zod'

const previewEvent = z.discriminatedUnion('type', [eventStart, eventDelta])

/** The event that a preview belongs to, and whether it begins it. */
export interface Preview {
  eventId: string
  /** Only known at the beginning: later deltas only carry the id. */
  begins: PreviewedEventType | undefined
}

/** Parses an `event_start` or `event_delta`; `undefined` for anything else. */
export const readPreview = (json: string): Preview | undefined => {
  const read = previewEvent.safeParse(JSON.parse(json))
  if (!read.success) return undefined
  return read.data.type === 'event_start'
    ? { eventId: read.data.event.id, begins: read.data.event.type }
    : { eventId: read.data.event_id, begins: undefined }
}
