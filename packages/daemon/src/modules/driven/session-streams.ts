import type { DrivenOutput, DrivenSession } from '@steward/contract'
import { eventStream } from '@steward/http'
import type { Call } from '../../module.ts'
import type { DrivenStore } from './driven-store.ts'

type News = { piece: DrivenOutput } | { session: DrivenSession }
type Listener = (news: News) => void

/** What sessions show, for everyone who follows them. */
export interface SessionStreams {
  tell: (id: string, news: News) => void
  /** Server-sent events until its turn is over. */
  follow: (id: string, query: { after: number; lastTurn: boolean }, call: Call) => Response
}

export const createSessionStreams = (
  store: Pick<DrivenStore, 'output' | 'beforeLastTurn'>,
  find: (id: string) => DrivenSession,
): SessionStreams => {
  const listeners = new Map<string, Set<Listener>>()

  return {
    tell: (id, news) => {
      for (const listener of listeners.get(id) ?? []) listener(news)
    },
    follow: (id, { after, lastTurn }, call) => {
      const session = find(id)
      return eventStream(call, ({ send, close, lastEventId }) => {
        const told = listeners.get(session.id) ?? new Set()
        const showPiece = (piece: DrivenOutput): void => {
          send({ id: String(piece.seq), event: 'output', data: piece })
        }
        const showSession = (current: DrivenSession): void => {
          send({ event: 'session', data: current, latest: true })
          if (current.state === 'working' || current.state === 'starting') return
          send({ event: 'end', data: current })
          close()
        }
        const listener: Listener = (news) =>
          'piece' in news ? showPiece(news.piece) : showSession(news.session)
        listeners.set(session.id, told.add(listener))
        const first = lastTurn ? store.beforeLastTurn(session.id) : after
        const from = Math.max(first, Number.parseInt(lastEventId ?? '0', 10) || 0)
        for (const piece of store.output(session.id, from)) showPiece(piece)
        showSession(find(session.id))
        return () => {
          told.delete(listener)
          if (told.size === 0) listeners.delete(session.id)
        }
      })
    },
  }
}
