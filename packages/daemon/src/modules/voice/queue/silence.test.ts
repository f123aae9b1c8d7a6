import { expect, test } from 'vitest'
import { PRIORITY } from '../speech-line.ts'
import { judgeSilence } from './silence.ts'

const berlin = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin', channels: [] }

test('lines that may be spoken during a silence', () => {
  const night = Date.UTC(2026, 0, 5, 23, 0)
  const quiet = { nowMs: night, mutedUntilMs: 0, quietHours: berlin }
  const muted = { nowMs: night, mutedUntilMs: night + 1, quietHours: undefined }
  const verdicts = (state: Parameters<typeof judgeSilence>[1]) =>
    [PRIORITY.security, PRIORITY.error, PRIORITY.normal].map((priority) =>
      judgeSilence({ priority }, state),
    )
  expect(verdicts(quiet)).toEqual(['speak', 'quiet_hours', 'quiet_hours'])
  expect(verdicts(muted)).toEqual(['wait', 'wait', 'muted'])
  expect(verdicts({ ...muted, mutedUntilMs: night })).toEqual(['speak', 'speak', 'speak'])
})
