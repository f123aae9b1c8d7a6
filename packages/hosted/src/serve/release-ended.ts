import { type StewardError, toStewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { Hands } from '../hands/hands.ts'

/** Whichever process has the sandbox of a session that is archived or deleted hears of it, and ends it. */
export const releaseEnded = (
  database: HostedDatabase,
  hands: Pick<Hands, 'release'>,
  report: (error: StewardError, where: string) => void,
): (() => void) =>
  database.hear(({ sessionId, news }) => {
    if (news.type !== 'archived' && news.type !== 'deleted') return
    hands
      .release(sessionId, news.type === 'deleted' ? 'delete' : 'keep')
      .catch((thrown: unknown) => {
        report(toStewardError(thrown), `the sandbox of ${sessionId}`)
      })
  })
