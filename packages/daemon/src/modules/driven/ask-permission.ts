import { randomUUID } from 'node:crypto'
import { createClipText, type PermissionAsked } from '@steward/assistants'
import type { AttentionAnswer, DrivenSession } from '@steward/contract'
import type { DrivenPorts } from './ports.ts'

const DETAIL_CHARS = 3000
const TITLE_CHARS = 400

/**
 * Asks the person through everything that waits for them. Without an answer, because the time is
 * over or the daemon stops, nothing is allowed.
 */
export const askPermission = async (
  ports: Pick<DrivenPorts, 'asking' | 'settings' | 'redactor' | 'now' | 'log'>,
  session: Pick<DrivenSession, 'id' | 'assistant' | 'folder'>,
  asked: PermissionAsked,
  signal: AbortSignal,
): Promise<AttentionAnswer | undefined> => {
  const { asking, settings, redactor, now } = ports
  const clip = createClipText(redactor())
  const title = clip(asked.title, TITLE_CHARS)
  const only = asked.onlyAlways ? ' (it offers no permission for this call only)' : ''
  const input = asked.input === undefined ? '' : `\n${clip(asked.input, DETAIL_CHARS)}`
  const outcome = await asking
    .ask(
      {
        id: randomUUID(),
        host: session.assistant,
        session_id: session.id,
        cwd: session.folder,
        reason: 'permission',
        tool_name: title,
        detail: `${title}${only}${input}`,
        asked: {
          decides: true,
          questions: [],
          fields: [],
          takesText: false,
          ...(asked.always === undefined ? {} : { always: clip(asked.always, TITLE_CHARS) }),
        },
        at: new Date(now()).toISOString(),
        waitMs: Math.round(settings().sessions.askHours * 3_600_000),
      },
      signal,
    )
    .catch(() => undefined)
  return outcome?.status === 'answered' ? outcome.answer : undefined
}
