import type { HostedDatabase } from '../database/hosted-database.ts'
import type { ModelDelta } from './models/model.ts'
import type { Asked } from './reply-events.ts'

/** What one announcement may carry where processes tell each other over Postgres is 8,000 bytes. */
const DELTA_CHARS = 1500

/** Shows streams an answer while it is written, under the ids that its events will have. */
export const createPreview = (
  database: Pick<HostedDatabase, 'tell'>,
  sessionId: string,
  { messageId, thinkingId }: Asked,
): ((delta: ModelDelta) => void) => {
  const begun = new Set<string>()
  const tell = (frame: Readonly<Record<string, unknown>>): void =>
    database.tell({ sessionId, news: { type: 'preview', frame: JSON.stringify(frame) } })
  const begin = (type: 'agent.message' | 'agent.thinking', id: string): void => {
    if (begun.has(id)) return
    begun.add(id)
    tell({ type: 'event_start', event: { type, id } })
  }
  return (delta) => {
    if (delta.type === 'thinking') return begin('agent.thinking', thinkingId)
    if (delta.text === '') return
    begin('agent.message', messageId)
    const { index, text } = delta
    for (const piece of inPieces(text))
      tell({
        type: 'event_delta',
        event_id: messageId,
        delta: { type: 'content_delta', index, content: { type: 'text', text: piece } },
      })
  }
}

/** Cuts between characters, never inside one. */
function* inPieces(text: string): Generator<string> {
  if (text.length <= DELTA_CHARS) return yield text
  const characters = [...text]
  for (let at = 0; at < characters.length; at += DELTA_CHARS)
    yield characters.slice(at, at + DELTA_CHARS).join('')
}
