import type { HostEvent } from '@steward/contract'
import { findCompletionLine } from '@steward/notify'
import type { HookPorts } from './hook-ports.ts'
import { postToDaemon } from './post-to-daemon.ts'

/** The line of an answer that should be spoken, with secrets masked. */
export const completionLineOf = (event: HostEvent, ports: HookPorts): string | undefined => {
  const { speaker } = ports.settings
  const found = findCompletionLine({
    text: event.last_assistant_message ?? '',
    ...(speaker === undefined ? {} : { speaker }),
    isSubagent: event.agent_id !== undefined,
    isRemote: ports.environment.CLAUDE_CODE_REMOTE === 'true',
  })
  return 'line' in found ? ports.redactor.redactText(found.line).value : undefined
}

/** Sends the line to the daemon. Without a daemon nothing is spoken. */
export const speakCompletion = async (
  message: string,
  { session_id }: HostEvent,
  ports: HookPorts,
): Promise<void> => {
  if (!ports.isDaemonUp()) return
  await postToDaemon(ports.home, '/notify', JSON.stringify({ message, session_id }))
}
