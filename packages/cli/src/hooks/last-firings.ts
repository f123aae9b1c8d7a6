import type { EventSource, HostName } from '@steward/contract'
import { eventLogPath, type Home, readTail } from '@steward/memory'

/** The row that each event leaves, by Claude Code's name; the launch of an agent leaves none of its own. */
const ROWS: Readonly<Record<string, { source: EventSource; type: string }>> = {
  SessionStart: { source: 'tool-activity', type: 'session_start' },
  UserPromptSubmit: { source: 'tool-activity', type: 'user_prompt' },
  PostToolUse: { source: 'tool-activity', type: 'tool_use' },
  PostToolUseFailure: { source: 'tool-failure', type: 'tool_failure' },
  PermissionRequest: { source: 'tool-activity', type: 'permission_request' },
  Notification: { source: 'tool-activity', type: 'notification' },
  SubagentStart: { source: 'subagent', type: 'subagent_start' },
  SubagentStop: { source: 'subagent', type: 'subagent_stop' },
  Stop: { source: 'tool-activity', type: 'turn_end' },
  SessionEnd: { source: 'tool-activity', type: 'session_end' },
}
const OWN_NAMES: Readonly<Record<string, string>> = {
  BeforeAgent: 'UserPromptSubmit',
  AfterTool: 'PostToolUse',
  AfterAgent: 'Stop',
  sessionStart: 'SessionStart',
  beforeSubmitPrompt: 'UserPromptSubmit',
  postToolUse: 'PostToolUse',
  postToolUseFailure: 'PostToolUseFailure',
  subagentStart: 'SubagentStart',
  subagentStop: 'SubagentStop',
  stop: 'Stop',
  sessionEnd: 'SessionEnd',
  'session.created': 'SessionStart',
  'chat.message': 'UserPromptSubmit',
  'tool.execute.after': 'PostToolUse',
  'message.part.updated': 'PostToolUseFailure',
  'permission.asked': 'PermissionRequest',
  'session.idle': 'Stop',
  'session.deleted': 'SessionEnd',
}
const SOURCES = ['tool-activity', 'tool-failure', 'subagent'] as const
const ROWS_READ = 2000

/** When each event of a host was last heard of, out of the ends of the logs. */
export type LastFirings = (host: HostName, event: string) => string | undefined

export const readLastFirings = async (home: Home): Promise<LastFirings> => {
  const last = new Map<string, string>()
  for (const source of SOURCES) {
    const { rows } = await readTail(eventLogPath(home, source), { rows: ROWS_READ })
    for (const { row } of rows) {
      if (typeof row.timestamp === 'string') last.set(`${row.host} ${row.type}`, row.timestamp)
    }
  }
  return (host, event) => {
    const row = ROWS[OWN_NAMES[event] ?? event]
    return row === undefined ? undefined : last.get(`${host} ${row.type}`)
  }
}
