import { StewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import { findLeaks, SINK_CASES } from '../../platform/src/redaction/testing/secret-forms.ts'
import { respondError } from './http/respond.ts'
import { writeLog } from './write-log.ts'

const env = { AUTH_TOKEN: 'short6', LLM_PROVIDER: 'anthropic' }

it('logs and answers without secrets: the own ones and whatever looks like one', async () => {
  const lines: string[] = []
  const ports = { log: (line: string) => lines.push(line) }
  for (const { text } of SINK_CASES) {
    const error = new StewardError('action_failed', { action: 'A_X', reason: text })
    writeLog(ports, env, { action: 'A_X', message: text, nested: { list: [text] } })
    writeLog(ports, env, { action: 'A_X', error })
    lines.push(await respondError(error, env).text())
  }
  expect(lines).toHaveLength(3 * SINK_CASES.length)
  expect(findLeaks(lines.join('\n'))).toEqual([])
})

it('masks members by their name before they are encoded, and keeps the rest', () => {
  const lines: string[] = []
  const entry = { provider: 'anthropic', run_id: 'r-1', db: { password: 'abc' }, message: 'short6' }
  writeLog({ log: (line) => lines.push(line) }, env, entry)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    provider: 'anthropic',
    run_id: 'r-1',
    db: { password: '[redacted]' },
    message: '[redacted:AUTH_TOKEN]',
  })
})
