import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readPeriod } from '@steward/assistants'
import { openLocalRuntime } from '@steward/runner'
import { expect, it } from 'vitest'
import { serveSmtp } from '../../../../../library/lib/testing/serve-smtp.ts'
import { createTemporaryHome } from '../../../../platform/src/testing/temporary-home.ts'
import { createScheduleTime, startSchedules } from './testing/pass-schedules.ts'

const LIBRARY = join(import.meta.dirname, '../../../../../library')
const TEMPLATE = join(LIBRARY, 'templates/usage-report')
/** In the time zone of the machine; the 9th is a Monday. */
const at = (day: number, hour = 12): number => new Date(2026, 10, day, hour).getTime()

it('mails the usage of the last week every Monday at 8, from the template', async () => {
  const home = createTemporaryHome()
  const { mails, url } = await serveSmtp()
  const call = (id: string, atMs: number, project: string, model: string) => {
    const path = join(home.path, `.claude/projects/${project}/${project}.jsonl`)
    const usage = { input_tokens: 0, output_tokens: 100_000 }
    const row = {
      type: 'assistant',
      sessionId: project,
      requestId: id,
      timestamp: new Date(atMs).toISOString(),
      cwd: `/work/${project}`,
      message: { id, model, usage },
    }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${JSON.stringify(row)}\n`, { flag: 'a' })
  }
  call('0', at(4), 'shop', 'claude-opus-5-5')
  call('1', at(9, 0), 'shop', 'claude-opus-5-5')
  call('2', at(15, 23), 'garden', 'claude-opus-5-5')
  call('3', at(16, 0), 'garden', 'model-of-tomorrow')

  const { flow } = JSON.parse(readFileSync(join(TEMPLATE, 'template.json'), 'utf8'))
  const destination = { type: 'email', address: 'me@example.com' }
  home.flows({ ...flow, id: 'usage', name: 'F_USAGE_REPORT', destination })
  const pipeline = readFileSync(join(TEMPLATE, 'pipeline.yaml'), 'utf8')
  home.write('USER/PIPELINES/P_USAGE_REPORT.yaml', pipeline)
  const time = createScheduleTime(at(14))
  const steward = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline', SMTP_URL: url, MAIL_FROM: 'me@host' },
    homedir: home.path,
    builtIn: LIBRARY,
    now: time.now,
    readUsage: (period) => {
      const place = { env: {}, homedir: home.path, databases: steward.home.databases }
      return readPeriod(place, period, time.now())
    },
  })
  const outcomes: string[] = []
  const schedules = await startSchedules(steward, time, (outcome) => outcomes.push(outcome))
  for (const day of [15, 16, 17, 23]) {
    time.sleepUntil(at(day, 8) - 10_000)
    await schedules.pass(30_000)
  }
  await schedules.stop()
  expect((await steward.flows.trigger('F_USAGE_REPORT')).summary.outcome).toBe('nothing-new')
  await steward.close()
  home.remove()

  expect(outcomes).toEqual(['delivered', 'delivered'])
  const texts = mails.map(({ raw }) => raw.replaceAll(/=\r\n/g, '').replaceAll('\r', ''))
  const subjects = texts.map((text) => /^Subject: (.*(?:\n .*)*)$/m.exec(text)?.[1])
  expect(subjects).toEqual([
    'Usage 2026-11-09 to 2026-11-15: $4.00',
    'Usage 2026-11-16 to 2026-11-22: price unknown',
  ])
  const [first = '', second = ''] = texts
  expect(first).toContain(
    [
      '$4.00 for 2 model calls in 2 sessions, 200,000 tokens. The week before: $2.00 (+100 %).',
      '',
      '## By assistant',
      '',
      '| assistant | sessions |  tokens |  cost |',
      '| --------- | -------: | ------: | ----: |',
      '| claude    |        2 | 200,000 | $4.00 |',
    ].join('\n'),
  )
  expect(first).toContain('| /work/garden |        1 | 100,000 | $2.00 |')
  expect(first).toMatch(/\| 2026-11-09 \| .*\n\| 2026-11-15 \|/)
  expect(first).toContain('<th>assistant</th>')
  expect(second).toContain('Price unknown: model-of-tomorrow.')
}, 60_000)
