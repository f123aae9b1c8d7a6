import { createRedactor } from '@steward/platform'
import { expect, it } from 'vitest'
import { findLeaks, SINK_CASES } from '../../../platform/src/redaction/testing/secret-forms.ts'
import { createLog } from './log.ts'

it('writes one line per message, without any form of a secret', () => {
  const lines: string[] = []
  const redactor = createRedactor({})
  const log = createLog({
    write: (line) => lines.push(line),
    now: () => new Date(0),
    redactor: () => redactor,
  })
  for (const { text } of SINK_CASES) log.error(text)
  log.info('one\ntwo')
  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
  expect(lines.at(-1)).toBe('1970-01-01T00:00:00.000Z info one | two\n')
  expect(findLeaks(lines.join(''))).toEqual([])
})
