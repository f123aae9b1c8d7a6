import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createEnvironment,
  createRedactor,
  ensureHome,
  type Home,
  readSecurityEvents,
  resolveHome,
} from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readHostEvent } from '../assistants.ts'
import { securityDrafts } from '../guard/describe-judgement.ts'
import { createClipText } from './clip-text.ts'
import { NO_SETTINGS } from './read-hook-settings.ts'
import { recordSecurity } from './record-security.ts'

const AT = '2026-03-01T10:00:00.000Z'
const redactor = createRedactor({})

let folder: string
let home: Home
let server: Server
const sockets = new Set<Socket>()
const requests: string[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-record-'))
  home = resolveHome({ STEWARD_HOME: folder })
  await ensureHome(home)
  requests.length = 0
})
afterEach(async () => {
  await kill()
  rmSync(folder, { recursive: true, force: true })
})

/** Accepts connections as the kernel does for a daemon that hangs; `answer` is all it ever says. */
const listen = async (answer = ''): Promise<void> => {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (text) => {
      requests.push(text.toString('utf8'))
      if (answer !== '') socket.end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  writeFileSync(
    join(home.databases, 'daemon.json'),
    JSON.stringify({ address: `http://127.0.0.1:${port}` }),
  )
}
const kill = async (): Promise<void> => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

const record = async (host: 'claude' | 'gemini', more: object = {}): Promise<string[]> => {
  const reported: string[] = []
  const payload = {
    session_id: 's1',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'rm -rf ~' },
    ...more,
  }
  const event = readHostEvent(host, payload, 'PreToolUse')
  const judgement = { verdict: 'deny', rule: 'r', reason: 'why', part: 'rm -rf ~' } as const
  await recordSecurity(event, securityDrafts(event, judgement), {
    home,
    payload,
    redactor,
    environment: createEnvironment({}, {}),
    settings: NO_SETTINGS,
    clip: createClipText(redactor),
    now: () => Date.parse(AT) + 5000,
    startedAtMs: Date.parse(AT),
    isDaemonUp: () => true,
    report: (text) => reported.push(text),
    program: '/x/steward-hook.mjs',
  })
  return reported
}
const events = async () => (await readSecurityEvents(home, { limit: 50 }, redactor)).events

describe('recordSecurity', () => {
  it('writes the refusal itself, with its time, when a daemon hangs and is then killed', async () => {
    await listen()
    expect(await record('claude', { tool_use_id: 't1' })).toEqual([])
    await kill()
    expect(requests).toEqual([expect.stringContaining(`&at=${AT}`)])
    expect(await events()).toMatchObject([
      { verdict: 'deny', timestamp: AT, session_id: 's1', target: 'rm -rf ~' },
    ])
  })

  it('leaves it to a daemon that confirms it', async () => {
    await listen('HTTP/1.1 200 OK\r\n\r\n{}')
    await record('claude', { tool_use_id: 't1' })
    expect(await events()).toEqual([])
  })

  it('writes each call of an assistant that names none', async () => {
    await listen()
    await record('gemini')
    expect(await events()).toMatchObject([{ timestamp: AT }])
  })
})
