/** A process that appends tool-activity rows at a steady rate: `node append-rows.ts HOME WRITER ROWS_PER_SECOND SECONDS`. */
import { setTimeout as wait } from 'node:timers/promises'
import { appendLogRow, eventLogPath } from '@steward/platform'

const [root = '', writer = '0', rate = '0', seconds = '0'] = process.argv.slice(2)
const path = eventLogPath({ root }, 'tool-activity')
const total = Number(rate) * Number(seconds)
const startedAt = performance.now()

for (let row = 0; row < total; ) {
  const due = Math.min(total, Math.ceil(((performance.now() - startedAt) / 1000) * Number(rate)))
  for (; row < due; row++) {
    const at = Date.now()
    appendLogRow(path, {
      timestamp: new Date(at).toISOString(),
      event: 'tool_use',
      session_id: `writer-${writer}`,
      tool_name: 'Bash',
      tool_input_preview: 'npm test',
      tool_use_id: `${writer}:${row}`,
      sent_at_ms: at,
    })
  }
  await wait(5)
}
