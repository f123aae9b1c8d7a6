import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWatchdogHome, type WatchdogHome } from './watchdog-process.ts'

let watched: WatchdogHome
beforeEach(() => {
  watched = createWatchdogHome()
})
afterEach(() => watched.remove())

const started = (id: string, secondsAgo: number, more: object = {}) => ({
  secondsAgo,
  event: 'subagent_start',
  subagent_id: id,
  subagent_type: 'Engineer',
  description: `work on ${id}`,
  ...more,
})
const stopped = (id: string, secondsAgo: number) => ({
  secondsAgo,
  event: 'subagent_stop',
  subagent_id: id,
  duration_seconds: null,
})
const called = (secondsAgo: number, more: object = {}) => ({
  secondsAgo,
  event: 'tool_use',
  source: 'tool-activity',
  type: 'tool_use',
  tool_name: 'Read',
  ...more,
})

describe('steward watchdog', () => {
  it('reports each silence once, as rows are added to real logs', async () => {
    const watchdog = watched.start(['--session', 's'])
    await watchdog.said('watching s')
    watched.append(
      'subagent-events',
      started('done', 300),
      { ...started('done', 299), event: 'subagent_spawned_async' },
      stopped('done', 200),
      started('elsewhere', 120, { session_id: 'other' }),
      started('waited-for', 120, { run_in_background: false }),
      started('hung', 120),
    )
    await watchdog.said('(hung)')
    expect(watchdog.stdout()).toMatch(
      /^watchdog: no tool call for \d+ s by the Engineer agent "work on hung" \(hung\) in session s, last heard of at \S+Z\n$/,
    )
    watched.append('tool-activity', called(100, { agent_id: 'hung' }))
    await watchdog.said(/\(hung\)[\s\S]*\(hung\)/)
    watched.append('tool-activity', called(0, { agent_id: 'hung' }))
    watched.append('subagent-events', started('last', 95))
    await watchdog.said('(last)')
    expect(watchdog.stdout().trim().split('\n')).toHaveLength(3)
    watchdog.child.kill('SIGTERM')
    expect(await watchdog.ended).toBe(0)
  })

  it('takes earlier rows into account, and ignores subagents that started long ago', async () => {
    watched.append('subagent-events', started('yesterday', 86_400), started('hung', 1000))
    watched.append('tool-activity', called(95))
    const watchdog = watched.start(['--json'])
    await watchdog.said('hung')
    expect(JSON.parse(watchdog.stdout())).toMatchObject({
      kind: 'silence',
      session_id: 's',
      subagent_id: 'hung',
      description: 'work on hung',
      silentSeconds: expect.toSatisfy((seconds: number) => seconds >= 95 && seconds < 1000),
    })
    watchdog.child.kill('SIGINT')
    expect(await watchdog.ended).toBe(0)
  })

  it('waits for the configured time', async () => {
    const watchdog = watched.start(['--silence', '0.4', '--json'])
    await watchdog.said('watching every session')
    const from = Date.now()
    watched.append('subagent-events', started('a', 0))
    await watchdog.said('"subagent_id":"a"')
    expect(Date.now() - from).toBeGreaterThanOrEqual(400)
  })

  it('reveals no secrets of the data home', async () => {
    const watchdog = watched.start(['--session', 'x'])
    await watchdog.said('watching x')
    watchdog.child.kill('SIGTERM')
    await watchdog.ended
    writeFileSync(join(watched.home, '.env'), 'SOME_API_KEY=a-very-secret-value\n')
    watched.append('subagent-events', started('a', 100, { description: 'a-very-secret-value' }))
    const again = watched.start()
    await again.said('(a)')
    expect(again.stdout()).toContain('"[redacted:SOME_API_KEY]"')
  })

  it('runs only once per session, until it exits or is killed', async () => {
    const first = watched.start(['--session', 'a/../b'])
    await first.said('watching')
    const second = watched.start(['--session', 'a/../b'])
    expect(await second.ended).toBe(4)
    expect(second.stderr()).toContain('a watchdog of a/../b is still running in another process')
    const other = watched.start(['--session', 'b'])
    await other.said('watching b')
    first.child.kill('SIGKILL')
    await first.ended
    await watched.start(['--session', 'a/../b']).said('watching')
  })

  it('exits when the process that started it is killed', async () => {
    const shell = watched.start(['--session', 's'], '"$@" & wait')
    await shell.said('watching s')
    shell.child.kill('SIGKILL')
    // Its standard output stays open as long as any process can write to it.
    await shell.ended
    await watched.start(['--session', 's']).said('watching s')
  })

  it('stays silent if the settings disable it, and reports an invalid number', async () => {
    const wrong = watched.start(['--silence', 'soon'])
    expect(await wrong.ended).toBe(2)
    expect(wrong.stderr()).toContain('It must be a number of seconds above 0.')
    watched.append('subagent-events', started('a', 100))
    writeFileSync(join(watched.home, 'settings.json'), '{"watchdog": {"enabled": false}}')
    const off = watched.start()
    expect([await off.ended, off.stdout()]).toEqual([0, ''])
  })
})
