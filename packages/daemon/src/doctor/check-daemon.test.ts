import { expect, it } from 'vitest'
import { checkDaemon } from './check-daemon.ts'

const health = {
  status: 'ok' as const,
  reasons: [],
  service: 'steward' as const,
  version: '5.0.0',
  pid: 1,
  port: 31337,
  startedAt: '2026-01-01T00:00:00Z',
  uptime: 7,
  subsystems: {
    observability: {
      status: 'ok' as const,
      sources: { voice: { lastEventAt: null }, subagent: { lastEventAt: '2026-01-01T00:00:01Z' } },
    },
  },
}
const address = 'http://127.0.0.1:31337'

it('a healthy daemon passes, and its sources show when they were last read', () => {
  const findings = checkDaemon({ address, health }, 'steward')
  expect(findings.map(({ status }) => status)).toEqual(['ok', 'ok'])
  expect(findings[1]?.message).toBe('voice nothing yet, subagent last at 2026-01-01T00:00:01Z')
})

it('a missing daemon is a warning, one that does not answer is a failure', () => {
  expect(checkDaemon({ reason: 'none runs' }, 'steward')).toMatchObject([{ status: 'warn' }])
  expect(checkDaemon({ address, reason: 'no answer' }, 'steward')).toMatchObject([
    { status: 'fail' },
  ])
})

it('a degraded one is named with its reasons', () => {
  const degraded = { ...health, status: 'degraded' as const, reasons: ['target x: 401'] }
  expect(checkDaemon({ address, health: degraded }, 'steward')[0]).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('target x: 401'),
  })
})
