import { StewardError } from '@steward/contract'
import type { Call } from '../../api/handler.ts'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import type { Hub } from './hub.ts'
import { type StreamRequest, streamSession } from './stream-session.ts'

/** Opens streams for calls, up to the limit of this process. */
export interface Streams {
  open(call: Call, request: StreamRequest): Promise<Response>
}

export const createStreams = (
  database: HostedDatabase,
  hub: Hub,
  most: number,
  report: (thrown: unknown) => void,
): Streams => ({
  open: (call, request) => {
    if (hub.count() >= most) throw new StewardError('too_many_streams', { limit: most })
    const { outgoing } = call.context.env
    return streamSession({ database, hub, outgoing, headers: call.headers, report }, request)
  },
})
