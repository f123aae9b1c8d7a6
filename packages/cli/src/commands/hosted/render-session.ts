import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { formatDollars } from './money.ts'
import { billOf, renderBill } from './session-cost.ts'
import type { Session } from './types.ts'

const paintStatus = (session: Session, paint: Paint): string => {
  if (session.archived_at !== null) return paint.dim('archived')
  if (session.status === 'running') return paint.green(session.status)
  if (session.status === 'rescheduling') return paint.yellow(session.status)
  return session.status === 'terminated' ? paint.red(session.status) : session.status
}

/** One line per session. */
export const renderSessions = (sessions: readonly Session[], paint: Paint): string => {
  if (sessions.length === 0) return `none yet: ${COMMAND} hosted init creates a first one\n`
  return formatTable(
    sessions.map((session) => [
      session.id,
      paintStatus(session, paint),
      formatTime(session.created_at),
      formatDollars(billOf(session).totalDollars),
      cleanText(session.agent.name),
      cleanText(session.title ?? ''),
    ]),
  )
}

/** One session: its definition, state and cost. */
export const renderSession = (session: Session, paint: Paint, isEstimated = false): string => {
  const rows = [
    ['status', paintStatus(session, paint)],
    [
      'agent',
      `${cleanText(session.agent.name)} (${session.agent.id}, version ${session.agent.version})`,
    ],
    ['model', cleanText(session.agent.model.id)],
    ['environment', session.environment_id],
    ['created', formatTime(session.created_at)],
    ...session.resources.map((resource) => ['mounted', describeResource(resource)]),
    ...session.vault_ids.map((id) => ['vault', id]),
    ...Object.entries(session.metadata).map(([key, value]) => [
      'metadata',
      cleanText(`${key}=${value}`),
    ]),
  ]
  const title = session.title === null ? '' : `  ${cleanText(session.title)}`
  return `${paint.bold(session.id)}${title}\n${formatTable(rows)}\n${renderBill(billOf(session, isEstimated))}`
}

const describeResource = (resource: Session['resources'][number]): string =>
  cleanText(
    'mount_path' in resource && resource.mount_path
      ? `${resource.type} at ${resource.mount_path}`
      : resource.type,
  )
