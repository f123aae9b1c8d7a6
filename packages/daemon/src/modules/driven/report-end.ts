import type { DriveSpec } from '@steward/assistants'
import type { DrivenSession } from '@steward/contract'
import type { DrivenPorts } from './ports.ts'

/** Stop reasons of the protocol that a person should know. */
export const EXPLAINED: Readonly<Record<string, string>> = {
  max_tokens: 'it reached its token limit',
  max_turn_requests: 'it reached its own limit of model calls',
  refusal: 'it refused the task',
  cancelled: 'its turn was cancelled',
}

/** Notifies the person of a session that failed or was stopped. */
export const reportEnd = async (
  { notices }: Pick<DrivenPorts, 'notices'>,
  { title }: Pick<DriveSpec, 'title'>,
  { id, project, state, reason }: DrivenSession,
): Promise<void> => {
  if (state === 'idle') return
  const hasFailed = state === 'failed'
  await notices.send({
    kind: hasFailed ? 'error' : 'longTask',
    title: `${title} in ${project.split('/').at(-1)}`,
    message: `${title} ${hasFailed ? 'failed' : 'stopped'}: ${reason ?? 'no reason'}`,
    session_id: id,
  })
}
