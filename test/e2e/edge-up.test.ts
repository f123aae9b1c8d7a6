import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { flowItem, runRecord, unwrap } from '@steward/contract'
import { signRequest } from '@steward/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { copyBuiltWorkers } from './built-workers.ts'
import { type Cli, createCli, writeAction } from './cli-process.ts'
import { startDaemonProcess } from './daemon-process.ts'
import {
  type EdgeProcess,
  findEdgePort,
  post,
  spawnEdge,
  startEdge,
  TOKEN,
} from './edge-up-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

let cli: Cli
let edge: EdgeProcess
let port = 0

const addField = (field: string, value: string) =>
  `export const execute = async (input) => ({ ${field}: ${value} })\n`

beforeAll(async () => {
  cli = createCli(CLONE_LAUNCHER)
  await copyBuiltWorkers(cli)
  port = await findEdgePort()
  writeAction(cli, 'A_COUNT_LETTERS', addField('letters', 'input.content.length'), {
    input: { content: { type: 'string', required: true } },
  })
  writeAction(cli, 'A_ADD_GREETING', addField('greeting', "'hello'"))
  writeAction(cli, 'A_ADD_FAREWELL', addField('farewell', "'good bye'"))
  writeAction(
    cli,
    'A_WAIT_LONG',
    `export const execute = async () => {
       await new Promise((resolve) => setTimeout(resolve, 2500))
       return { waited: 'old' }
     }\n`,
  )
  writeAction(cli, 'A_LOOP_SHORT', 'export const execute = () => { while (true) {} }\n', {
    timeoutMs: 1500,
  })
  writeAction(cli, 'A_LOOP_ON', 'export const execute = () => { while (true) {} }\n')
  writeAction(
    cli,
    'A_SHOW_USER',
    `export const execute = async (input, { capabilities }) => {
       const { stdout } = await capabilities.shell(['id', '-un'])
       return { user: stdout.trim() }
     }\n`,
    { requires: ['shell'] },
  )
  cli.write(
    'USER/PIPELINES/P_GREET_AND_COUNT.yaml',
    'name: P_GREET_AND_COUNT\ndescription: d\nactions: [A_COUNT_LETTERS, A_ADD_GREETING, A_ADD_FAREWELL]\n',
  )
  const flow = {
    id: 'flow-hooked',
    name: 'F_COUNT_HOOKED',
    source: { type: 'webhook', scheme: 'standard', secret: 'HOOK_SECRET' },
    pipeline: 'P_GREET_AND_COUNT',
    destination: { type: 'file', path: 'hooked.jsonl' },
    schedule: { every: '1d', runsOn: 'here' },
  }
  cli.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows: [flow] }))
  const env = { HOOK_SECRET }
  edge = await startEdge(cli, { args: ['--port', String(port)], env })
})

const HOOK_SECRET = `whsec_${Buffer.from('secret of the sender').toString('base64')}`

afterAll(async () => {
  await edge.stop()
  cli.remove()
})

test('an action, a pipeline of three and a flow each answer at their own address', async () => {
  expect(await edge.call('A_COUNT_LETTERS', '/', post({ content: 'four', page: 4 }))).toMatchObject(
    {
      status: 200,
      body: { success: true, action: 'A_COUNT_LETTERS', output: { letters: 4, page: 4 } },
    },
  )
  expect(await edge.call('P_GREET_AND_COUNT', '/', post({ content: 'four' }))).toMatchObject({
    status: 200,
    body: {
      pipeline: 'P_GREET_AND_COUNT',
      output: { content: 'four', letters: 4, greeting: 'hello', farewell: 'good bye' },
    },
  })
  expect(await edge.call('F_SAMPLE_REFINE', '/trigger', { method: 'POST' })).toMatchObject({
    status: 202,
    body: { success: true, run_id: expect.any(String) },
  })
})

test('the command line finds the edge, runs a key once, and shows its runs', async () => {
  const env = { AUTH_TOKEN: TOKEN }
  const args = ['run', 'P_GREET_AND_COUNT', '--content', 'word', '--idempotency-key', 'one']
  const first = await cli.run(args, { env })
  expect(first.stderr).toMatch(/exec-p-greet-and-count answered in .* \(local edge, http:/)
  expect(JSON.parse(first.stdout)).toMatchObject({ letters: 4, greeting: 'hello' })
  expect((await cli.run(args, { env })).stdout).toBe(first.stdout)
  const listed = await cli.json(['runs', '--edge', '--json', '--name', 'P_GREET_AND_COUNT'], {
    env,
  })
  const keyed = z
    .array(runRecord)
    .parse(listed)
    .filter(({ idempotencyKey }) => idempotencyKey)
  expect(keyed).toMatchObject([{ status: 'completed', idempotencyKey: 'one' }])
  const shown = await cli.run(['runs', 'show', keyed[0]?.id ?? '', '--edge'], { env })
  expect(shown.stdout).toMatch(/P_GREET_AND_COUNT completed[\s\S]*1\. A_COUNT_LETTERS completed/)
  const { items } = z
    .object({ items: z.array(flowItem) })
    .parse(await cli.json(['flows', 'items', 'F_SAMPLE_REFINE', '--edge', '--json'], { env }))
  expect(items.every(({ runId }) => runId !== '')).toBe(true)
  const here = await cli.run(['run', 'A_ADD_GREETING', '{}', '--local'], { env })
  expect(here.stderr).not.toContain('local edge')

  // Deployed workers are asked even if a local edge runs.
  const cloud = ['runs', '--cloud', '--json', '--name', 'P_GREET_AND_COUNT']
  const none = await cli.run(cloud, { env })
  expect([none.code, none.stderr]).toEqual([
    5,
    expect.stringContaining('no flow or pipeline was deployed from here'),
  ])
  const workers = { 'exec-p-greet-and-count': edge.urls.P_GREET_AND_COUNT }
  cli.write('settings.json', JSON.stringify({ edge: { workers } }))
  expect(await cli.json(cloud, { env })).toEqual(listed)
  const shownThere = await cli.run(['runs', 'show', keyed[0]?.id ?? '', '--cloud'], { env })
  expect(shownThere.stdout).toBe(shown.stdout)
  const wrong = await cli.run(cloud, { env: { AUTH_TOKEN: 'wrong' } })
  expect(wrong.stderr).toContain('AUTH_TOKEN is not set on exec-p-greet-and-count, or differs')
  cli.write('settings.json', '{}')
})

test('webhooks that the edge accepts run once on this machine, which opens no port for them', async () => {
  const send = async (id: string, content: string, at = Date.now()) => {
    const body = new TextEncoder().encode(JSON.stringify({ id: `item-${id}`, content }))
    const signed = await signRequest({ scheme: 'standard' }, HOOK_SECRET, { body, id, nowMs: at })
    const init = { method: 'POST', body, headers: unwrap(signed) }
    return fetch(`${edge.urls.WEBHOOK_INBOX}/webhooks/F_COUNT_HOOKED`, init)
  }
  expect((await send('m-1', 'first')).status).toBe(202)
  expect(await (await send('m-1', 'first')).json()).toMatchObject({ repeated: true })
  expect((await send('m-2', 'second', Date.now() - 3_600_000)).status).toBe(401)
  expect((await send('m-2', 'second')).status).toBe(202)
  expect((await fetch(`${edge.urls.WEBHOOK_INBOX}/inbox?flow=flow-hooked`)).status).toBe(401)
  const file = join(cli.home, 'OUTPUT/hooked.jsonl')
  const delivered = () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
  const env = { AUTH_TOKEN: TOKEN, HOOK_SECRET }
  const daemon = await startDaemonProcess(cli, { env })
  try {
    await expect.poll(delivered).toMatchObject([
      { item: 'item-m-1', output: { letters: 5 } },
      { item: 'item-m-2', output: { letters: 6 } },
    ])
    await expect
      .poll(async () => (await edge.call('WEBHOOK_INBOX', '/inbox?flow=flow-hooked', {})).body)
      .toEqual({ deliveries: [] })
  } finally {
    await daemon.stop()
  }
  expect(await (await send('m-1', 'first')).json()).toMatchObject({ repeated: true })
  expect(delivered()).toHaveLength(2)
})

test('without the token only GET /health answers', async () => {
  for (const name of ['A_COUNT_LETTERS', 'P_GREET_AND_COUNT', 'F_SAMPLE_REFINE', 'A_SHOW_USER']) {
    const headers = { authorization: 'Bearer wrong' }
    expect((await edge.call(name, '/health', { headers })).status).toBe(200)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      for (const path of ['/', '/trigger', '/elsewhere']) {
        expect((await edge.call(name, path, { method, headers })).status).toBe(401)
      }
    }
  }
  expect(edge.token).toBeUndefined()
})

test('an action of the sandbox tier runs outside workerd, with the same contract', async () => {
  const answer = await edge.call('A_SHOW_USER', '/', post({}))
  if (existsSync('/usr/bin/bwrap')) {
    expect(answer).toMatchObject({ status: 200, body: { success: true, action: 'A_SHOW_USER' } })
  } else {
    expect(answer).toMatchObject({ status: 500, body: { code: 'sandbox_unavailable' } })
  }
})

test('a second edge on the same home reports it and exits; a busy port is replaced', async () => {
  const run = async (other: Cli, basePort: number, stopAt?: string) => {
    const child = spawnEdge(other, { args: ['--port', String(basePort)] })
    let text = ''
    child.stderr?.on('data', (chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString()
      if (stopAt !== undefined && text.includes(stopAt)) child.kill('SIGTERM')
    })
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
    return { code, text }
  }
  const second = await run(cli, port)
  expect(second.code).toBe(4)
  expect(second.text).toContain(`the local edge of ${cli.home} is still running`)

  const other = createCli(CLONE_LAUNCHER)
  // Copies built workers, so that only changed ones are built again.
  cpSync(join(cli.files, 'workers'), join(other.files, 'workers'), { recursive: true })
  const taken = createServer()
  const busyPort = await findEdgePort()
  await new Promise<void>((resolve) => taken.listen(busyPort, '127.0.0.1', resolve))
  const moved = `port ${busyPort} is taken by another program`
  const busy = await run(other, busyPort, moved)
  taken.close()
  other.remove()
  expect(busy.text).toContain('building workers that changed')
  expect(busy.text).toContain(moved)
})

test('a change is applied at the same address; requests in progress finish on the old version', async () => {
  const inside = edge.call('A_WAIT_LONG', '/', post({}))
  writeAction(cli, 'A_ADD_GREETING', addField('greeting', "'welcome'"))
  await edge.said('reloaded: exec-a-add-greeting')
  expect(await edge.call('A_ADD_GREETING', '/', post({}))).toMatchObject({
    body: { output: { greeting: 'welcome' } },
  })
  expect(await inside).toMatchObject({ status: 200, body: { output: { waited: 'old' } } })
})

test('the addresses of added workers are printed once, and each leads to its worker', async () => {
  const added = ['A_ADD_LATE', 'A_ADD_LATER']
  const linesOf = (name: string) =>
    edge
      .stderr()
      .split('\n')
      .filter((line) => line.includes(`${name} is at http`))
  for (const name of added) writeAction(cli, name, addField('by', `'${name}'`))
  for (const name of added) {
    await edge.said(`${name} is at http`)
    const [url = ''] = /http:\/\/\S+/.exec(linesOf(name)[0] ?? '') ?? []
    const response = await fetch(url, {
      ...post({}),
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    })
    expect(await response.json()).toMatchObject({ action: name, output: { by: name } })
  }
  writeAction(cli, 'A_ADD_LATE', addField('by', "'another'"))
  await expect
    .poll(() => edge.stderr().match(/reloaded: exec-a-add-late(,|\s)/g)?.length, {
      timeout: 120_000,
    })
    .toBeGreaterThan(1)
  const known = ['A_ADD_LATE', 'A_ADD_GREETING', 'A_COUNT_LETTERS'].map(linesOf)
  expect(known.map(({ length }) => length)).toEqual([1, 0, 0])
})

test('a broken definition is reported and the previous worker keeps running; other changes are applied', async () => {
  writeAction(cli, 'A_ADD_GREETING', 'export const execute = async (\n')
  await edge.said('A_ADD_GREETING: ')
  expect(await edge.call('A_ADD_GREETING', '/', post({}))).toMatchObject({
    body: { output: { greeting: 'welcome' } },
  })
  writeAction(cli, 'A_ADD_FAREWELL', addField('farewell', "'adieu'"))
  await edge.said('reloaded: exec-a-add-farewell')
  expect(await edge.call('A_ADD_FAREWELL', '/', post({}))).toMatchObject({
    body: { output: { farewell: 'adieu' } },
  })
  writeAction(cli, 'A_ADD_FAREWELL', `throw new Error('not at home')\n${addField('farewell', '1')}`)
  await edge.said('not at home')
  expect(await edge.call('A_ADD_FAREWELL', '/', post({}))).toMatchObject({
    body: { output: { farewell: 'adieu' } },
  })
})

test('an endless loop freezes no other worker', async () => {
  // Still running when the edge is stopped below.
  void edge.call('A_LOOP_ON', '/', post({})).catch(() => undefined)
  const short = edge.call('A_LOOP_SHORT', '/', post({}))
  expect(await edge.call('A_ADD_GREETING', '/', post({}))).toMatchObject({ status: 200 })
  expect(await short).toMatchObject({ status: 504, body: { code: 'timeout' } })
  expect(await edge.call('P_GREET_AND_COUNT', '/', post({ content: 'a' }))).toMatchObject({
    status: 200,
  })
})

test('it exits cleanly, and the next start has the same addresses', async () => {
  const { urls } = edge
  expect(await edge.stop()).toBe(0)
  writeAction(cli, 'A_ADD_FAREWELL', addField('farewell', "'adieu'"))
  writeAction(cli, 'A_ADD_BEFORE', addField('before', '1'))
  edge = await startEdge(cli, { env: { AUTH_TOKEN: '' } })
  expect(edge.urls).toMatchObject(urls)
  expect(edge.token).toMatch(/^[0-9a-f]{64}$/)
  expect((await edge.call('A_COUNT_LETTERS', '/', post({}))).status).toBe(401)
  const headers = { authorization: `Bearer ${edge.token}` }
  expect(await edge.call('A_ADD_BEFORE', '/', { ...post({}), headers })).toMatchObject({
    body: { output: { before: 1 } },
  })
  expect(existsSync(join(cli.home, 'state/edge/queues.sqlite'))).toBe(true)
  expect(edge.stderr()).not.toContain(TOKEN)
})

/** The number may belong to another process by now. */
const isWorkerd = (pid: string): boolean => {
  const file = `/proc/${pid}/cmdline`
  return existsSync(file) && readFileSync(file, 'utf8').includes('workerd')
}

test('a crashed workerd is restarted; if that fails, the command ends with the reason', async () => {
  const state = join(cli.home, 'state/edge')
  // All of them: changes and actions of their own start further ones, in any order.
  const killWorkerds = () => {
    for (const pid of readFileSync(join(state, 'workerd.pids'), 'utf8').trim().split('\n')) {
      if (isWorkerd(pid)) process.kill(Number(pid), 'SIGKILL')
    }
  }
  killWorkerds()
  await edge.said('workerd ended unexpectedly and was restarted')
  const headers = { authorization: `Bearer ${edge.token}` }
  const request = { ...post({ content: 'a' }), headers }
  // Several were killed, and the message is about the first that is back.
  await expect
    .poll(() => edge.call('P_GREET_AND_COUNT', '/', request))
    .toMatchObject({ body: { output: { letters: 1 } } })
  writeFileSync(join(state, 'workerd.sh'), '#!/bin/sh\ncat > /dev/null\nexit 1\n')
  killWorkerds()
  expect(await edge.exited).toBe(1)
  expect(edge.stderr()).toContain('workerd ended unexpectedly and could not be restarted')
  expect(edge.stderr()).toContain('Start `steward edge up` again')
})
