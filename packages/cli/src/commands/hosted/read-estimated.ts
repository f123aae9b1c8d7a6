import { BETA_FAMILIES, sessionLog } from '@steward/contract'
import type { Connection } from './connect.ts'

/** Whether the cost of a session contains estimates; servers of a vendor and older servers do not report it. */
export const readEstimated = async (
  { client, kind }: Pick<Connection, 'client' | 'kind'>,
  sessionId: string,
): Promise<boolean> => {
  if (kind === 'vendor') return false
  const path = `/v1/steward/sessions/${encodeURIComponent(sessionId)}/log?limit=1`
  try {
    const answer = await client.get(path, { headers: { 'anthropic-beta': BETA_FAMILIES.agents } })
    return sessionLog.parse(answer).session.cost.isEstimated
  } catch (thrown) {
    const { NotFoundError } = await import('@anthropic-ai/sdk')
    if (thrown instanceof NotFoundError) return false
    throw thrown
  }
}
