import { describe, expect, it } from 'vitest'
import {
  findCommand,
  readChannels,
  readGuards,
  readParts,
  readSources,
  readTargets,
} from './read-health.ts'

describe('the parts of the daemon', () => {
  it('put problems first, with a remedy', () => {
    const parts = readParts({
      subsystems: {
        live: { status: 'ok' },
        backup: { status: 'unavailable', reasons: ['no backups are scheduled'] },
        cron: { status: 'unavailable', reasons: ['not in this version'] },
        hooks: { status: 'degraded', reasons: ['PATTERNS.yaml line 3: no list'] },
        strange: { status: 'failed' },
      },
    })
    expect(parts.map(({ name, isWorrying }) => [name, isWorrying])).toEqual([
      ['strange', true],
      ['hooks', true],
      ['live', false],
      ['backup', false],
    ])
    expect(parts[0]).toMatchObject({
      title: 'strange',
      remedy: { command: 'steward service logs' },
    })
    expect(parts[1]).toMatchObject({ title: 'Guards', remedy: { href: '/security' } })
    expect(parts[2]?.remedy).toBeUndefined()
  })

  it('offers the command that the reason names', () => {
    const reasons = ['no model', 'not built: run `npm start` once']
    const [part] = readParts({ subsystems: { execution: { status: 'degraded', reasons } } })
    expect(part?.remedy).toEqual({ command: 'npm start' })
    expect(findCommand('set `notifications.chat` in settings.json')).toBeUndefined()
  })

  it('may have any name', () => {
    const [part] = readParts({ subsystems: { constructor: { status: 'ok' as const } } })
    expect(part).toMatchObject({ title: 'constructor', what: '' })
  })
})

describe('details of parts', () => {
  it('is read where it is there', () => {
    const subsystems = {
      observability: {
        status: 'ok' as const,
        sources: {
          voice: {
            file: 'MEMORY/VOICE/voice-events.jsonl',
            rows: 4,
            lastEventAt: '2026-11-15T10:00:00Z',
            skipped: { foreign: 1, torn: 2 },
            gaps: 0,
            lastError: null,
          },
        },
        targets: [{ name: 'file', type: 'local', status: 'failing', lagMs: 90, lastError: 'no' }],
      },
      notifications: {
        status: 'ok' as const,
        channels: { push: { ready: false, reason: 'not configured', routed: ['error'] } },
      },
      hooks: { status: 'ok' as const, securityGuard: { total: 3, denied: 2, passed: 1, asked: 0 } },
    }
    expect(readSources({ subsystems })).toEqual([
      {
        name: 'voice',
        file: 'MEMORY/VOICE/voice-events.jsonl',
        lastEventAt: '2026-11-15T10:00:00Z',
        rows: 4,
        skipped: 3,
        gaps: 0,
        lastError: undefined,
      },
    ])
    expect(readTargets({ subsystems })).toMatchObject([{ status: 'failing', lagMs: 90 }])
    expect(readChannels({ subsystems })).toMatchObject([
      { name: 'push', isReady: false, reason: 'not configured', routed: ['error'], waiting: 0 },
    ])
    expect(readGuards({ subsystems })[0]).toEqual({
      name: 'security',
      total: 3,
      said: [
        ['denied', 2],
        ['passed', 1],
      ],
    })
  })

  it('is undefined if missing or of another type', () => {
    const subsystems = {
      observability: { status: 'failed' as const, sources: 'x', targets: { a: 1 } },
      notifications: { status: 'failed' as const, channels: [1] },
    }
    expect(readSources({ subsystems })).toEqual([])
    expect(readTargets({ subsystems })).toEqual([])
    expect(readChannels({ subsystems })).toEqual([])
    expect(readGuards({ subsystems }).map(({ total }) => total)).toEqual([0, 0, 0])
  })
})
