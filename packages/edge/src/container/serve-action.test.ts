import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { actionManifestV2, LIMITS } from '@steward/contract'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildWorkers } from '../build/build-workers.ts'
import { NO_RESOURCES } from '../build/resources.ts'

const folder = mkdtempSync(join(tmpdir(), 'steward-container-'))
const manifest = actionManifestV2.parse({
  name: 'A_READ_BACK',
  description: 'Runs what it is given and reads a file.',
  input: { argv: { type: 'array' }, path: { type: 'string' }, url: { type: 'string' } },
  output: { answer: { type: 'object' } },
  requires: ['shell', 'readFile', 'fetch'],
  secrets: ['MY_KEY'],
})

beforeAll(async () => {
  const action = join(folder, 'A_READ_BACK')
  mkdirSync(join(folder, 'data'), { recursive: true })
  mkdirSync(action)
  writeFileSync(join(folder, 'data', 'note.txt'), 'from a file')
  writeFileSync(join(action, 'action.json'), JSON.stringify(manifest))
  writeFileSync(
    join(action, 'action.ts'),
    `export const execute = async ({ argv, path, url }, { capabilities, secret }) => ({
      answer: {
        ...(argv ? await capabilities.shell(argv) : {}),
        ...(path ? { text: await capabilities.readFile(path) } : {}),
        ...(url ? { fetched: await (await capabilities.fetch(url)).text() } : {}),
        key: secret('MY_KEY') === 'the-key-of-mine',
      },
    })`,
  )
  const outcome = await buildWorkers({
    catalog: {
      actions: [
        { manifest, folder: action, file: join(action, 'action.ts'), hash: '', isOwn: true },
      ],
      pipelines: [],
      flows: [],
      unreadable: [],
    },
    resources: NO_RESOURCES,
    out: join(folder, 'workers'),
  })
  expect(outcome.ok).toBe(true)
  return () => rmSync(folder, { recursive: true, force: true })
})

/** The built server as a separate process, called over loopback. */
const start = async (env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [join(folder, 'workers/a-read-back/container.js')], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      AUTH_TOKEN: 'token',
      DATA_DIR: join(folder, 'data'),
      MY_KEY: 'the-key-of-mine',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const ready = JSON.parse(line)
  const ask = async (body: unknown, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${ready.listening.replace('port ', '')}/`, {
      method: 'POST',
      headers: { authorization: 'Bearer token' },
      body: JSON.stringify(body),
      ...init,
    })
    return { status: response.status, body: await response.json() }
  }
  return { child, ready, ask }
}

const ended = (child: ChildProcess) => once(child, 'exit')

test('reports when it listens, then serves the contract of every worker', async () => {
  const { ready, ask } = await start()
  expect(ready).toEqual({
    ready: true,
    action: 'A_READ_BACK',
    listening: expect.stringMatching(/^port \d+$/),
  })
  expect(await ask({}, { headers: {} })).toMatchObject({
    status: 401,
    body: { code: 'unauthorized' },
  })
  expect(await ask({}, { method: 'PUT' })).toMatchObject({ status: 405 })
  expect(await ask({ argv: ['echo', 'hello'] })).toMatchObject({
    status: 200,
    body: {
      success: true,
      action: 'A_READ_BACK',
      output: { answer: { stdout: 'hello\n', code: 0, isolation: 'container', key: true } },
    },
  })
  expect(await ask({ path: 'note.txt' })).toMatchObject({
    body: { output: { answer: { text: 'from a file' } } },
  })
})

test('files beside the data are inaccessible, and commands see no secret', async () => {
  const { ask } = await start()
  expect(await ask({ path: '/etc/hostname' })).toMatchObject({
    status: 403,
    body: { code: 'path_refused' },
  })
  const { body } = await ask({ argv: ['env'] })
  expect(body.output.answer.stdout).toContain('PATH=')
  expect(body.output.answer.stdout).not.toMatch(/the-key-of-mine|AUTH_TOKEN/)
})

test('addresses of this machine are refused, unless they are allowed', async () => {
  const site = createServer((_, response) => response.end('a page')).listen(0, '127.0.0.1')
  onTestFinished(() => void site.close())
  await once(site, 'listening')
  const address = site.address()
  const host = `localhost:${typeof address === 'object' ? address?.port : ''}`
  const refusing = await start()
  expect(await refusing.ask({ url: `http://${host}/` })).toMatchObject({
    status: 400,
    body: { code: 'address_refused' },
  })
  const allowing = await start({ ALLOW_PRIVATE_HOSTS: `other.example, ${host}` })
  expect(await allowing.ask({ url: `http://${host}/` })).toMatchObject({
    body: { output: { answer: { fetched: 'a page' } } },
  })
})

test('a body that is too large is refused with a response, and the server continues', async () => {
  const { ask } = await start()
  expect(await ask('x'.repeat(LIMITS.inputBytes + 1))).toMatchObject({
    status: 413,
    body: { code: 'payload_too_large' },
  })
  expect(await ask({})).toMatchObject({ status: 200 })
})

test('the caller may name the isolation; a request to stop is followed', async () => {
  const { child, ask } = await start({ ISOLATION: 'bubblewrap' })
  const { body } = await ask({ argv: ['true'] })
  expect(body.output.answer.isolation).toBe('bubblewrap')
  child.kill('SIGTERM')
  expect(await ended(child)).toEqual([0, null])
})

test('without a token every call is refused', async () => {
  const { ask } = await start({ AUTH_TOKEN: '' })
  expect(await ask({}, { headers: { authorization: 'Bearer ' } })).toMatchObject({ status: 401 })
})
