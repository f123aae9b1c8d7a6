import { type StewardError, toStewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { Hands } from '../hands/hands.ts'

/** Ends the sandbox of an archived or deleted session in whichever process holds it. */
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
