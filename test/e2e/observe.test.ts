import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { API, EVENT_SOURCES } from '@steward/contract'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { startDaemonProcess } from './daemon-process.ts'

let cli: Cli
beforeEach(() => {
  cli = createCli()
})
afterEach(() => cli.remove())

/** Rows of a session, seconds ago; a text is a command. */
const log = (
  session: string,
  ...rows: Array<[secondsAgo: number, row: string | Record<string, unknown>]>
) => {
  const file = join(cli.home, EVENT_SOURCES['tool-activity'].file)
  mkdirSync(dirname(file), { recursive: true })
  const lines = rows.map(([secondsAgo, row]) => {
    const base = {
      timestamp: new Date(Date.now() - secondsAgo * 1000).toISOString(),
      session_id: session,
      event: 'tool_use',
      cwd: cli.files,
    }
    const command = { tool_name: 'Bash', ground_truth: { command: row } }
    return `${JSON.stringify({ ...base, ...(typeof row === 'string' ? command : row) })}\n`
  })
  appendFileSync(file, lines.join(''))
}

const prompt = { event: 'user_prompt', prompt: 'Write down how the build works.' }
const work = (session: string) =>
  log(
    session,
    [100, prompt],
    [90, 'ls'],
    [80, 'cat a.md'],
    [70, 'touch b.md'],
    [60, 'npm test'],
    [50, 'ls'],
  )

it('observes a session to its end, halts it, tells of it, and lets it go on when lifted', async () => {
  const daemon = await startDaemonProcess(cli)
  onTestFinished(() => daemon.kill())
  const observe = (...args: string[]) => cli.run(['observe', '--session', ...args])

  const refused = await observe('nobody')
  expect(refused.code).toBe(4)
  expect(refused.stderr).toMatch(/cannot be observed: short: it has made 0 tool calls/)
  expect((await observe('s', '--policy', 'none.yaml')).code).toBe(2)
  expect((await observe('s', '--judge', 'model', '--force')).code).toBe(5)

  work('s')
  const fine = await observe('s', '--once', '--json')
  expect(fine).toMatchObject({ code: 0 })
  expect(
    fine.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).decision),
  ).not.toContain('halt')

  cli.write('policy.yaml', 'intent: Write down how the build works\nforbiddenEffects: [delete]\n')
  const watched = observe('s', '--policy', 'policy.yaml', '--json')
  log('s', [2, 'rm -rf ~/notes ~/letters'], [1, { event: 'session_end' }])
  const { code, stdout } = await watched
  expect(code).toBe(0)
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')
  expect(last).toMatchObject({ session_id: 's', decision: 'halt', cost: { total_usd: 0 } })

  const view = API.listObservers.answer.parse(await (await daemon.fetch('/api/observers')).json())
  expect(view.halts).toMatchObject([{ session_id: 's', by: 'observers' }])
  expect(view.sessions[0]).toMatchObject({ session_id: 's', halted: 1 })
  expect(view.verdicts[0]).toMatchObject({ decision: 'halt' })
  const told = await (await daemon.fetch('/api/notifications')).text()
  expect(told).toContain('Observers')

  const lift = (headers: Record<string, string>) =>
    daemon.fetch('/api/observers/lift', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ session_id: 's' }),
    })
  expect((await lift({})).status).toBe(401)
  expect((await cli.run(['observe', 'halts'])).stdout).toContain('by observers: halt:')
  expect(await cli.json(['observe', 'lift', 's', '--json'])).toEqual({
    session_id: 's',
    lifted: true,
  })
  const again = await lift({ authorization: `Bearer ${daemon.token()}` })
  expect(await again.json()).toEqual({ lifted: false })
})
