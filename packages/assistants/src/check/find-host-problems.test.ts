import { describe, expect, it } from 'vitest'
import type { AskedHost } from '../report/host-report.ts'
import { describeHost } from './check-hosts.ts'
import { findHostProblems } from './find-host-problems.ts'

const WELL: AskedHost = {
  host: 'claude',
  found: true,
  command: '/bin/claude',
  version: '2.1.325',
  file: '/h/settings.json',
  state: 'installed',
  hooks: [
    {
      event: 'Stop',
      kind: 'tells',
      registered: true,
      waited: true,
      lastFiring: '2026-01-01T00:00:00.000Z',
      firings: 3,
      medianMs: 61,
    },
    {
      event: 'SessionEnd',
      kind: 'tells',
      registered: true,
      waited: true,
      lastFiring: null,
      firings: 0,
      medianMs: null,
    },
  ],
  foreign: 2,
  addedMs: 61,
  errors: [],
  pluginFired: null,
  untrusted: null,
  plugins: [],
}
const problemsOf = (more: Partial<AskedHost>) =>
  findHostProblems(
    { ...WELL, ...more },
    { env: {}, homedir: '/h', command: 'steward', installation: '/i' },
  )

describe('the hooks of an assistant', () => {
  it('are described with version, registrations, the last firing and the time they add', async () => {
    const { status, message } = describeHost(WELL)
    expect(status).toBe('ok')
    expect(message).toContain('2.1.325; 2 of 2 hooks registered; 2 of other programs')
    expect(message).toContain('adds 61 ms')
    expect(await problemsOf({})).toEqual([])
  })

  it.each(['other', 'incomplete', 'outdated'] as const)('%s: can be repaired', async (state) => {
    expect(await problemsOf({ state })).toMatchObject([
      { status: 'warn', fix: expect.any(Function) },
    ])
  })

  it('not registered: repaired only with consent, and a plugin counts as registered', async () => {
    expect(await problemsOf({ state: 'missing' })).toMatchObject([{ asksFirst: true }])
    const plugins = [{ id: 'steward@x', path: '/p', events: ['Stop'], problem: null }]
    expect(await problemsOf({ state: 'missing', plugins })).toEqual([])
  })

  it('settings that cannot be understood are not repaired', async () => {
    const [problem] = await problemsOf({ state: 'unreadable' })
    expect(problem?.status).toBe('fail')
    expect(problem?.fix).toBeUndefined()
  })

  it('Codex: hooks that are not trusted are a failure with a repair', async () => {
    const found = await problemsOf({ host: 'codex', version: '0.166.0', untrusted: ['k:stop:0:0'] })
    expect(found).toMatchObject([{ status: 'fail', fix: expect.any(Function) }])
  })

  it('a plugin beside the settings, and one whose hooks never run, are reported', async () => {
    const plugins = [{ id: 'steward@x', path: '/p', events: [], problem: 'unknown event X' }]
    expect(await problemsOf({ plugins })).toMatchObject([
      { status: 'fail', message: expect.stringContaining('unknown event X') },
      { status: 'warn', message: expect.stringContaining('beside the settings') },
    ])
    expect(await problemsOf({ pluginFired: '2026-01-01T00:00:00.000Z' })).toHaveLength(1)
  })

  it('old versions and errors of the hook are named', async () => {
    expect(await problemsOf({ version: '2.1.99' })).toHaveLength(1)
    expect(await problemsOf({ version: '2.2.0' })).toEqual([])
    const errors = [{ timestamp: '2026-01-01T00:00:00.000Z', event: 'Stop', message: 'disk full' }]
    expect(await problemsOf({ errors })).toMatchObject([
      { message: expect.stringContaining('disk full') },
    ])
  })
})
