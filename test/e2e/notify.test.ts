import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type Cli, createCli, writeAction } from './cli-process.ts'

let cli: Cli
beforeEach(() => {
  cli = createCli()
})
afterEach(() => cli.remove())

/** Receives what would be sent to ntfy. */
const serve = async () => {
  const received: { path: string; title: string; body: string }[] = []
  const standIn = { received, address: '', status: 200 }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const { url = '', headers } = request
      received.push({ path: url, title: String(headers.title), body })
      response.writeHead(standIn.status).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  standIn.address = `http://127.0.0.1:${address.port}`
  return standIn
}

test('set up, test, send, merge, read the log', async () => {
  const service = await serve()
  const before = `{\n  "mine": {"x": 1.50},\n  "notifications": {\n    "push": { "server": "${service.address}" }\n  }\n}\n`
  const file = cli.write('settings.json', before)

  const setUp = await cli.run(['notify', '--setup', 'push'])
  expect(setUp.code).toBe(0)
  const topic = /topic: (steward-[0-9a-f]{16})\n/.exec(setUp.stdout)?.[1] ?? ''
  expect(topic).not.toBe('')
  expect(readFileSync(file, 'utf8')).toBe(
    before.replace('" }', `", "enabled": true, "topic": "${topic}" }`),
  )
  const again = await cli.run(['notify', '--setup', 'push'])
  expect(again.code).toBe(2)
  expect(again.stderr).toContain('--force creates a new one')

  expect(await cli.run(['notify', '--test', 'push'])).toMatchObject({
    code: 0,
    stdout: 'push: delivered: HTTP 200\n',
  })
  const message = 'it\'s "done" `id` $(id) שלום 🎉'
  const sent = await cli.run(['notify', message, '--title', 'Bau', '--kind', 'error', '--json'])
  expect(JSON.parse(sent.stdout)).toMatchObject({
    kind: 'error',
    deliveries: [{ channel: 'push', state: 'delivered', detail: 'HTTP 200' }],
  })
  expect(service.received.at(-1)).toEqual({ path: `/${topic}`, title: 'Bau', body: message })
  const same = await cli.run(['notify', message, '--title', 'Bau', '--kind', 'error'])
  expect(same.stdout).toContain('push: merged')
  const piped = await cli.run(['notify', '-'], { stdin: 'x'.repeat(100_000) })
  expect(piped.code).toBe(0)
  expect(service.received.at(-1)?.body).toHaveLength(4094)
  expect(service.received).toHaveLength(3)

  const log = await cli.run(['notify', '--log'])
  expect(log.stdout).toMatch(/push +error +delivered +1 +Bau +HTTP 200/)
  expect(log.stdout).not.toContain(topic)
  expect(statSync(join(cli.home, 'state', 'outbox.sqlite')).mode & 0o777).toBe(0o600)
  const events = readFileSync(join(cli.home, 'MEMORY', 'STATE', 'events.jsonl'), 'utf8')
  expect(events).toContain('"type":"notification.delivered"')
})

test('flows notify: each item once, even after kill -9, and a failed run', async () => {
  const service = await serve()
  const push = { enabled: true, topic: 'steward-0123456789', server: service.address }
  cli.write('settings.json', JSON.stringify({ notifications: { push } }))
  writeAction(
    cli,
    'A_WAIT_SECOND',
    `export const execute = async ({ title }, { capabilities }) => {
       if (title !== 'two') return { shout: title.toUpperCase() }
       const isThere = () => capabilities.readFile('release').then(() => true, () => false)
       while (!(await isThere())) await new Promise((done) => setTimeout(done, 10))
       return { shout: 'TWO' }
     }`,
    { output: { shout: { type: 'string' } }, requires: ['readFile'] },
  )
  cli.write(
    'USER/PIPELINES/P_WAIT.yaml',
    'name: P_WAIT\ndescription: Waits at the second.\nactions: [A_WAIT_SECOND]\n',
  )
  const flow = {
    id: 'tell',
    name: 'F_TELL_ITEMS',
    source: { type: 'file', path: 'items.json' },
    pipeline: 'P_WAIT',
    destination: { type: 'notify', kind: 'error', title: 'News', message: '{shout}: {title}' },
    schedule: { intervalMinutes: 60, enabled: true },
    concurrency: 1,
  }
  const broken = { ...flow, id: 'broken', name: 'F_BROKEN', source: { type: 'file', path: 'no' } }
  cli.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows: [flow, broken] }))
  const items = ['one', 'two'].map((title) => ({ id: title, title }))
  cli.write('USER/FLOWS/items.json', JSON.stringify(items))

  const kill = new AbortController()
  const killed = cli.run(['trigger', 'F_TELL_ITEMS'], { kill: kill.signal })
  const showRun = () => cli.json(['runs', 'show', 'last', '--json'])
  const waiting = { children: [{ status: 'completed' }, { status: 'running' }] }
  await vi.waitFor(async () => expect(await showRun()).toMatchObject(waiting), {
    timeout: 60_000,
    interval: 500,
  })
  kill.abort()
  expect((await killed).code).toBe(null)
  cli.write('release', '')
  expect(await cli.run(['runs', 'resume'])).toMatchObject({ code: 0 })
  const told = () => service.received.map(({ title, body }) => `${title}: ${body}`)
  expect(told().toSorted()).toEqual(['News: ONE: one', 'News: TWO: two'])

  expect(await cli.run(['trigger', 'F_BROKEN'])).toMatchObject({ code: 1 })
  expect(told()).toHaveLength(2)
  cli.write(
    'USER/FLOWS/flow-index.json',
    JSON.stringify({ flows: [{ ...broken, source: { type: 'file', path: 'gone' } }] }),
  )
  expect(await cli.run(['trigger', 'F_BROKEN', '--notify'])).toMatchObject({ code: 1 })
  expect(told().slice(2)).toEqual([expect.stringMatching(/^F_BROKEN: F_BROKEN failed: /)])
})

test('errors are reported with a remedy; failed deliveries wait', async () => {
  const service = await serve()
  const push = { enabled: true, topic: 'steward-0123456789', server: service.address }
  cli.write('settings.json', JSON.stringify({ notifications: { push } }))
  service.status = 503
  const test503 = await cli.run(['notify', '--test', 'push'])
  expect(test503.code).toBe(1)
  expect(test503.stderr).toContain('HTTP 503')
  expect(test503.stderr).toContain('what to do: Check the network and notifications.push.server')
  const chat = await cli.run(['notify', '--test', 'chat'])
  expect(chat.code).toBe(5)
  expect(chat.stderr).toContain('chat is not configured')
  expect(chat.stderr).toContain('CHAT_WEBHOOK')
  const waits = await cli.run(['notify', 'x', '--channel', 'push'])
  expect(waits).toMatchObject({ code: 0, stdout: expect.stringContaining('push: waiting') })
  const skipped = await cli.run(['notify', 'x', '--channel', 'chat'])
  expect(skipped.code).toBe(5)
  const nowhere = await cli.run(['notify', 'x', '--kind', 'taskComplete'])
  expect(nowhere).toMatchObject({ code: 0, stdout: expect.stringContaining('to no channel') })
})

test.each([
  [[], 'give a message, or one of'],
  [['  '], 'the message is empty'],
  [['x', '--log'], 'give a message, or one of'],
  [['x', '--kind', 'party'], 'taskComplete, longTask'],
  [['x', '--channel', 'sms'], 'push, chat, desktop, email'],
  [['x', '--priority', '6'], 'from 1 to 5'],
  [['--setup', 'chat'], 'Only push'],
])('notify %j is rejected', async (args, reason) => {
  const { code, stderr } = await cli.run(['notify', ...args])
  expect(code).toBe(2)
  expect(stderr).toContain(reason)
})
