import { eventDelta, eventStart, type PreviewedEventType } from '@steward/contract'
import { z } from 'zod'

const previewEvent = z.discriminatedUnion('type', [eventStart, eventDelta])

/** What a preview shows of, and whether it begins it. */
export interface Preview {
  eventId: string
  /** Known where it begins: what follows names the id alone. */
  begins: PreviewedEventType | undefined
}

/** The JSON of an `event_start` or `event_delta`; `undefined` when it is neither. */
export const readPreview = (json: string): Preview | undefined => {
  const read = previewEvent.safeParse(JSON.parse(json))
  if (!read.success) return undefined
  return read.data.type === 'event_start'
    ? { eventId: read.data.event.id, begins: read.data.event.type }
    : { eventId: read.data.event_id, begins: undefined }
}
