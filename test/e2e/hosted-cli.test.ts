import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'
import { type HostedProcess, startHostedProcess } from './hosted-process.ts'
import {
  type MessagesRequest,
  type Reply,
  type StandInMessages,
  startStandInMessages,
} from './stand-in-messages.ts'

const COMMAND = 'echo poem > /mnt/session/outputs/poem.txt; echo "in $(pwd)"'

/** Calls bash once for each user message, then reports that it is done. */
const answer = ({ messages }: MessagesRequest): Reply => {
  const content = messages.at(-1)?.content ?? ''
  const isResult = Array.isArray(content) && content.some(({ type }) => type === 'tool_result')
  return isResult
    ? { type: 'text', text: 'The poem is written.' }
    : { type: 'tool_use', name: 'bash', input: { command: COMMAND } }
}

const ids = z.object({ agent: z.string(), environment: z.string(), session: z.string() })
const eventLine = z.looseObject({ id: z.string(), type: z.string() })
const eventsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => eventLine.parse(JSON.parse(line)))

let cli: Cli
let model: StandInMessages
let server: HostedProcess
const env = () => ({
  LLM_PROVIDER: 'anthropic',
  LLM_BASE_URL: model.address,
  LLM_API_KEY: 'sk-stand-in',
})
const hosted = (...args: string[]) => cli.run(['hosted', ...args], { env: env() })

beforeAll(async () => {
  cli = createCli()
  model = await startStandInMessages(answer)
  server = await startHostedProcess(cli, env())
})
afterAll(async () => {
  await server?.stop()
  await model?.stop()
  cli?.remove()
})

test('a first agent works in its sandbox, and its log survives the server', async () => {
  const { session } = ids.parse(JSON.parse((await hosted('init', '--json')).stdout))

  const sent = await hosted('send', session, 'Write a poem.')
  expect(sent).toMatchObject({ code: 0, stderr: '' })
  expect(sent.stdout).toContain('you: Write a poem.\n')
  expect(sent.stdout).toContain(`tool: bash  ${COMMAND}\n`)
  expect(sent.stdout).toContain('agent: The poem is written.\n-- idle: its turn is done\n')
  expect(sent.stdout).toMatch(/^ {2}in \/\S+$/m)

  const logged = await hosted('sessions', 'log', session, '--json')
  const [first, ...rest] = eventsOf(logged.stdout)
  const streamed = await hosted(
    ...['stream', session, '--after', first?.id ?? '', '--until-idle', '--json'],
  )
  expect(eventsOf(streamed.stdout)).toEqual(rest)

  const bill = JSON.parse((await hosted('cost', session, '--json')).stdout)
  expect(bill).toMatchObject({ tokens: { input: 2000, output: 200 }, budget: null })
  expect(bill.tokenDollars).toBeGreaterThan(0)
  expect(bill.totalDollars).toBeCloseTo(bill.tokenDollars + (bill.activeSeconds / 3600) * 0.08, 9)

  await server.kill()
  server = await startHostedProcess(cli, env())

  const relogged = await hosted('sessions', 'log', session, '--json')
  expect(relogged.stdout).toBe(logged.stdout)
  expect(model.requests).toHaveLength(2)

  const [file] = z
    .array(z.object({ id: z.string(), filename: z.string() }))
    .parse(JSON.parse((await hosted('files', 'list', session, '--json')).stdout))
  expect(file?.filename).toBe('poem.txt')
  await hosted('files', 'get', file?.id ?? '')
  expect(readFileSync(join(cli.files, 'poem.txt'), 'utf8')).toBe('poem\n')
})

test('a tool that needs permission waits for the command that allows it; a read-only key cannot send', async () => {
  const { session } = ids.parse(
    JSON.parse((await hosted('init', '--name', 'careful', '--ask', '--json')).stdout),
  )
  const asked = await hosted('send', session, 'Write a poem.')
  expect(asked.code).toBe(4)
  expect(asked.stderr).toContain(`waits: bash  ${COMMAND}`)
  const event = /--allow (sevt_\S+)/.exec(asked.stderr)?.[1] ?? ''
  expect((await hosted('sessions', 'show', session)).stdout).toContain(`--allow ${event}`)
  const allowed = await hosted('send', session, '--allow', event)
  expect(allowed).toMatchObject({ code: 0, stderr: '' })
  expect(allowed.stdout).toContain('agent: The poem is written.')

  const made = await hosted('keys', 'create', '--name', 'reader', '--scope', 'read')
  const key = made.stdout.trim()
  const elsewhere = (...args: string[]) =>
    cli.run(['hosted', ...args, '--url', server.address], { env: { STEWARD_HOSTED_KEY: key } })
  expect((await elsewhere('send', session, 'hi', '--no-wait')).code).toBe(5)
})
