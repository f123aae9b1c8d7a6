import type { HostEvent } from '@steward/contract'
import { findCompletionLine } from '@steward/notify'
import type { HookPorts } from './hook-ports.ts'
import { postToDaemon } from './post-to-daemon.ts'

/** Sends the line of an answer that should be spoken to the daemon. Without a daemon nothing is spoken. */
export const speakCompletion = async (event: HostEvent, ports: HookPorts): Promise<void> => {
  const { speaker } = ports.settings
  const found = findCompletionLine({
    text: event.last_assistant_message ?? '',
    ...(speaker === undefined ? {} : { speaker }),
    isSubagent: event.agent_id !== undefined,
    isRemote: ports.environment.CLAUDE_CODE_REMOTE === 'true',
  })
  if ('skip' in found || !ports.isDaemonUp()) return
  const message = ports.redactor.redactText(found.line).value
  const body = JSON.stringify({ message, session_id: event.session_id })
  await postToDaemon(ports.home, '/notify', body)
}
