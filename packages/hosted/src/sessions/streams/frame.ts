import { type StoredEvent, toWireEvent } from '../../database/stored-event.ts'
import { createId } from '../../ids/create-id.ts'

/**
 * Always `event: message`: older clients drop unknown names, and every client drops a frame without
 * a name. The id serves clients that reconnect with `Last-Event-ID`.
 */
export const toFrame = (event: StoredEvent): string =>
  `id: ${event.id}\nevent: message\ndata: ${JSON.stringify(toWireEvent(event))}\n\n`

/** A preview has no position in the log, so it has no id. */
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
