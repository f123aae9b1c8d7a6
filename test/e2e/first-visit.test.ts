import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { readRecording } from '../../packages/assistants/src/testing/recorded.ts'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'

const SESSIONS = 2000
const CALLS = 4
const TOKENS = { input_tokens: 1000, output_tokens: 500 }

let cli: Cli
let daemon: DaemonProcess
beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  await daemon.kill()
  cli.remove()
})

/** The tool calls of a recorded session, as Claude Code keeps them in its transcripts. */
const recordedCalls = readRecording('claude-code-2.1.325')
  .filter(({ event }) => event === 'PreToolUse')
  .slice(0, CALLS)
  .map(({ payload: { tool_name, tool_input } }) => ({ name: tool_name, input: tool_input }))

/** A home in which somebody has worked for months; session 0 is the newest. */
const writeHistory = (homedir: string): void => {
  const now = Date.now()
  for (let number = 0; number < SESSIONS; number++) {
    const endedMs = now - number * 600_000
    const folder = join(homedir, `.claude/projects/-home-u-project-${number % 20}`)
    const about = {
      sessionId: `session-${number}`,
      cwd: `/home/u/project-${number % 20}`,
      version: '2.1.325',
    }
    const rows = [
      { ...about, type: 'user', message: { role: 'user', content: `Task ${number}` } },
      ...recordedCalls.map((call, at) => ({
        ...about,
        type: 'assistant',
        requestId: `req_${number}_${at}`,
        message: {
          id: `msg_${number}_${at}`,
          model: 'claude-opus-5-5',
          content: [{ type: 'tool_use', id: `toolu_${number}_${at}`, ...call }],
          usage: TOKENS,
        },
      })),
    ]
    const file = join(folder, `session-${number}.jsonl`)
    mkdirSync(folder, { recursive: true })
    const timestamp = new Date(endedMs).toISOString()
    writeFileSync(file, rows.map((row) => `${JSON.stringify({ ...row, timestamp })}\n`).join(''))
    utimesSync(file, endedMs / 1000, endedMs / 1000)
  }
}

const usage = z.object({
  rows: z.array(z.object({ key: z.string(), cost_usd: z.number().nullable() })),
  total: z.object({ input_tokens: z.number(), cost_usd: z.number().nullable() }),
  import: z.object({ done: z.number(), total: z.number() }).nullable(),
})
const readUsage = async () =>
  usage.parse(await (await daemon.fetch('/api/usage?by=session&since=2020-01-01')).json())

const sessionPage = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      host: z.string(),
      costUsd: z.number().nullable(),
    }),
  ),
  total: z.number(),
})
const listSessions = async (query: string) =>
  sessionPage.parse(await (await daemon.fetch(`/api/sessions?${query}`)).json())

it('shows the newest sessions with their cost first, and the rest when it is imported', async () => {
  writeHistory(cli.files)
  daemon = await startDaemonProcess(cli)
  const startedMs = performance.now()
  await expect.poll(async () => (await readUsage()).total.cost_usd ?? 0).toBeGreaterThan(0)
  const firstMs = performance.now() - startedMs
  const first = await readUsage()
  expect(first.rows.map(({ key }) => key)).toContain('session-0')
  expect(first.rows.every(({ cost_usd }) => cost_usd !== null && cost_usd > 0)).toBe(true)

  await expect
    .poll(async () => (await listSessions('limit=1')).sessions)
    .toMatchObject([
      { id: 'session-0', name: 'Task 0', host: 'claude', costUsd: expect.any(Number) },
    ])

  await expect.poll(async () => (await readUsage()).import, { timeout: 120_000 }).toBeNull()
  const { rows, total } = await readUsage()
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  console.info(
    `first cost after ${seconds(firstMs)} s, all ${SESSIONS} after ${seconds(performance.now() - startedMs)} s`,
  )
  expect(total.input_tokens).toBe(SESSIONS * CALLS * TOKENS.input_tokens)
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  expect(rows.map(({ key }) => key)).toContain(`session-${SESSIONS - 1}`)
  expect((await listSessions('limit=1')).total).toBe(SESSIONS)
  expect((await listSessions('q=Task%201234')).sessions).toMatchObject([{ id: 'session-1234' }])
})
