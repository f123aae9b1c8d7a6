import { z } from 'zod'
import type { Connection } from './connect.ts'

const serverStatus = z.looseObject({
  engine: z.string().optional(),
  place: z.string().optional(),
  sessions: z.record(z.string(), z.number()).optional(),
  hands: z
    .looseObject({
      driver: z.string(),
      isolated: z.boolean(),
      limits: z.string(),
      seccomp: z.boolean(),
      network: z.string().optional(),
      remarks: z.array(z.string()),
    })
    .optional(),
})
export type ServerStatus = z.infer<typeof serverStatus>

/** The server's own status; undefined for a vendor's or an older server. */
export const readServerStatus = async (
  connection: Pick<Connection, 'client' | 'kind'>,
): Promise<ServerStatus | undefined> => {
  if (connection.kind === 'vendor') return undefined
  try {
    return serverStatus.parse(await connection.client.get('/v1/steward/status'))
  } catch (thrown) {
    const { NotFoundError } = await import('@anthropic-ai/sdk')
    if (thrown instanceof NotFoundError) return undefined
    throw thrown
  }
}
