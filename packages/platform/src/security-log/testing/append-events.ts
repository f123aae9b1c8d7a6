import { createRedactor } from '../../redaction/redactor.ts'
import { appendSecurityEvent } from '../append-security-event.ts'

/** A writer in a separate process: `append-events.ts <MEMORY/SECURITY> <name> <count>`. */
const [security = '', name = '', count = '0'] = process.argv.slice(2)
const redactor = createRedactor({})
for (let n = 0; n < Number(count); n++) {
  const row = await appendSecurityEvent(
    { security },
    {
      session_id: name,
      host: 'claude',
      tool: 'Bash',
      verdict: 'alert',
      rule: 'r',
      reason: '',
      target: String(n),
    },
    { redactor, waitMs: 60_000 },
  )
  process.stdout.write(`${row.seq}\n`)
}
