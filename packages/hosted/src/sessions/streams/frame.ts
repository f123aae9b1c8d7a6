import { type StoredEvent, toWireEvent } from '../../database/stored-event.ts'
import { createId } from '../../ids/create-id.ts'

/**
 * Always `event: message`: older clients drop names they do not know, and every client drops a frame
 * without a name. The id is for those that come back with `Last-Event-ID`.
 */
export const toFrame = (event: StoredEvent): string =>
  `id: ${event.id}\nevent: message\ndata: ${JSON.stringify(toWireEvent(event))}\n\n`

/** A preview has no place in the log, and so no id. */
export const toPreviewFrame = (json: string): string => `event: message\ndata: ${json}\n\n`

export const toDeletedFrame = (nowMs: number): string =>
  toPreviewFrame(
    JSON.stringify({
      id: createId('sevt'),
      type: 'session.deleted',
      processed_at: new Date(nowMs).toISOString(),
    }),
  )

export const PING_FRAME = 'event: ping\ndata: {"type": "ping"}\n\n'
