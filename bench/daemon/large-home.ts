import { once } from 'node:events'
import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

type MakeRow = (row: number, timestamp: string) => object

const SPAN_MS = 30 * 86_400_000
const SENTENCE = 'The build finished and every test passed, as you asked for. '

/** All logs that the daemon reads at start, with their share of the bytes. */
const LOGS: readonly (readonly [file: string, share: number, make: MakeRow])[] = [
  [
    'MEMORY/OBSERVABILITY/tool-activity.jsonl',
    0.55,
    (row, timestamp) => ({
      timestamp,
      event: 'tool_use',
      source: 'tool-activity',
      type: 'tool_use',
      session_id: `session-${row % 100}`,
      tool_name: 'Bash',
      tool_input_preview: 'git status --short && npm test '.repeat(7),
      tool_use_id: `toolu_${row}`,
    }),
  ],
  [
    'MEMORY/OBSERVABILITY/tool-failures.jsonl',
    0.1,
    (row, timestamp) => ({
      timestamp,
      source: 'tool-failure',
      type: 'tool_failure',
      session_id: `session-${row % 100}`,
      tool_name: 'Bash',
      error: `exit code ${row % 7}: ${SENTENCE.repeat(3)}`,
    }),
  ],
  [
    'MEMORY/OBSERVABILITY/subagent-events.jsonl',
    0.1,
    (row, timestamp) => ({
      timestamp,
      source: 'subagent',
      type: row % 2 === 0 ? 'subagent_start' : 'subagent_stop',
      session_id: `session-${row % 100}`,
      agent_id: `agent-${Math.floor(row / 2)}`,
      prompt: SENTENCE.repeat(3),
    }),
  ],
  [
    'MEMORY/VOICE/voice-events.jsonl',
    0.1,
    (row, timestamp) => ({
      timestamp,
      source: 'voice',
      type: 'spoken',
      session_id: `session-${row % 100}`,
      message: SENTENCE.repeat(4),
    }),
  ],
  [
    'MEMORY/STATE/events.jsonl',
    0.15,
    (row, timestamp) => ({
      timestamp,
      source: 'voice',
      type: 'notification.requested',
      session_id: `session-${row % 100}`,
      message: SENTENCE.repeat(4),
    }),
  ],
]

/** A home with this many megabytes of logs, spread evenly over the last thirty days. */
export const writeLargeHome = async (home: string, megabytes: number): Promise<void> => {
  for (const [file, share, make] of LOGS) {
    const path = join(home, file)
    mkdirSync(dirname(path), { recursive: true })
    await writeRows(path, megabytes * 1e6 * share, make)
  }
}

const writeRows = async (path: string, bytes: number, make: MakeRow): Promise<void> => {
  const file = createWriteStream(path)
  const endMs = Date.now()
  const rowBytes = JSON.stringify(make(0, new Date(endMs).toISOString())).length + 1
  const rows = Math.floor(bytes / rowBytes)
  for (let row = 0; row < rows; ) {
    const lines: string[] = []
    for (const end = Math.min(rows, row + 5000); row < end; row++) {
      const timestamp = new Date(endMs - SPAN_MS * (1 - row / rows)).toISOString()
      lines.push(`${JSON.stringify(make(row, timestamp))}\n`)
    }
    if (!file.write(lines.join(''))) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}
