import { expect, it } from 'vitest'
import { findLeaks, SINK_CASES } from '../../../platform/src/redaction/testing/secret-forms.ts'
import { maskSecrets } from './mask-secrets.ts'

it('writes messages without secrets: what looks like one, and values of the environment', () => {
  const written: string[] = []
  const write = maskSecrets((text) => written.push(text), { MAIL_PASSWORD: 'correct horse' })
  for (const { text } of SINK_CASES) write(`error: the command failed: ${text}\n`)
  write('error: 535 login with correct horse refused\n')
  expect(findLeaks(written.join(''))).toEqual([])
  expect(written.at(-1)).toBe('error: 535 login with [redacted:MAIL_PASSWORD] refused\n')
})
