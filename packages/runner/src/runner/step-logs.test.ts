import { join } from 'node:path'
import { LIMITS } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import type { LocalRuntime } from '../local-runtime.ts'
import { openLocalRuntime } from '../open-local-runtime.ts'
import { createStepLog } from './step-log.ts'

const AT = Date.parse('2026-11-16T09:00:00.000Z')
const KEY = 'the-value-of-a-secret-key'
let home: TemporaryHome
let steward: LocalRuntime

beforeEach(async () => {
  home = createTemporaryHome()
  steward = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, MY_API_KEY: KEY, PATH: process.env.PATH },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
    now: () => AT,
  })
})

afterEach(async () => {
  await steward.close()
  home.remove()
})

const logsOf = (runId: string, step = 0) => steward.history.get(runId)?.steps[step]?.logs
const entry = (text: unknown, level = 'info') => ({ at: new Date(AT).toISOString(), level, text })

describe('the log of a step', () => {
  it('has what its action printed, with level and time, and no other step has it', async () => {
    home.action('A_SAY_ONE', "console.warn('careful\\n  now'); context.log('done'); return {}")
    home.action('A_SAY_NOTHING', 'return {}')
    home.pipeline('P_SAY', ['A_SAY_ONE', 'A_SAY_NOTHING'])
    const { runId } = await steward.runner.run('P_SAY', {})
    expect(logsOf(runId)).toEqual([entry('careful\n  now', 'warn'), entry('done')])
    expect(logsOf(runId, 1)).toBeUndefined()
  })

  it('stays when the step fails, and starts empty when it is retried', async () => {
    home.action('A_FAIL_ONCE', "console.log('first'); throw new Error('not yet')")
    const { runId } = await steward.runner.run('A_FAIL_ONCE', {})
    expect(logsOf(runId)).toEqual([entry('first')])
    home.action('A_FAIL_ONCE', "console.log('second'); return {}")
    await steward.runner.resume(runId)
    expect(logsOf(runId)).toEqual([entry('second')])
  })

  it('stays when the run is stopped', async () => {
    home.action('A_WAIT_ON', "console.log('begun'); await new Promise(() => {})")
    const stop = new AbortController()
    let runId = ''
    const stopped = steward.runner.run(
      'A_WAIT_ON',
      {},
      {
        signal: stop.signal,
        onProgress: (progress) => {
          runId = progress.runId
          if (progress.kind === 'note') stop.abort(new Error('stopped'))
        },
      },
    )
    await expect(stopped).rejects.toThrow('stopped')
    expect(logsOf(runId)).toEqual([entry('begun')])
  })

  it('is stored without secrets, also those of several lines', async () => {
    const lines = ['-----BEGIN PRIVATE KEY-----', ...Array(6).fill('MIIEvQIBADANBgkqhkiG9w0'), '']
    const key = `${lines.join('\n')}-----END PRIVATE KEY-----`
    home.action('A_SAY_SECRET', `console.log('key ${KEY}'); console.log(input.key); return {}`)
    const { runId } = await steward.runner.run('A_SAY_SECRET', { key })
    const stored = steward.history.database
      .statement('SELECT entries FROM step_logs WHERE run_id = ?')
      .all(runId)
    expect(stored).toHaveLength(1)
    expect(JSON.stringify(stored)).not.toContain(KEY)
    expect(JSON.stringify(stored)).not.toContain('MIIEvQIBADANBgkqhkiG9w0')
    expect(logsOf(runId)).toHaveLength(2)
  })

  it('has a limited number of entries and says so', async () => {
    home.action('A_SAY_MUCH', 'for (let n = 0; n < 5000; n++) console.log(n); return {}')
    const { runId } = await steward.runner.run('A_SAY_MUCH', {})
    const logs = logsOf(runId) ?? []
    expect(logs).toHaveLength(LIMITS.stepLogEntries + 1)
    expect(logs.at(-1)).toEqual(entry('more than 1000 entries; the rest is left out', 'warn'))
  })

  it('has a limited length, cut between words', async () => {
    home.action('A_SAY_MUCH', "console.log('word '.repeat(1e5)); console.log('later'); return {}")
    const { runId } = await steward.runner.run('A_SAY_MUCH', {})
    const [long, note, ...rest] = logsOf(runId) ?? []
    expect(long?.text.length).toBeGreaterThan(LIMITS.actionPrintBytes - 10)
    expect(long?.text.length).toBeLessThanOrEqual(LIMITS.actionPrintBytes)
    expect(long?.text.slice(-10)).toBe('word word ')
    expect(note).toEqual(entry(expect.stringContaining('the rest is left out'), 'warn'))
    expect(rest).toEqual([])
  })
})

it('entries of a step that runs for long are stored meanwhile, each once', () => {
  const timers: Array<() => void> = []
  const stored: string[][] = []
  const log = createStepLog(
    {
      now: () => AT,
      onAdded: () => undefined,
      startTimer: (_, onElapsed) => {
        timers.push(onElapsed)
        return () => undefined
      },
    },
    async (logs) => {
      stored.push(logs.map(({ text }) => text))
    },
  )
  log.add('one')
  log.add('two')
  timers.shift()?.()
  log.add('three')
  expect(stored).toEqual([['one', 'two']])
  expect(log.end().map(({ text }) => text)).toEqual(['three'])
  log.add('too late')
  expect(stored).toHaveLength(1)
})
