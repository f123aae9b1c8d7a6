import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject } from '@steward/contract'
import { startDaemonProcess } from './daemon/daemon-process.ts'

const SESSIONS = 100
const LIMIT_MS = 60_000

/** A push server that notes when the request of each session arrived. */
const servePushes = async () => {
  const arrivals = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const [, name] = /mark-(\S+)/.exec(Buffer.concat(chunks).toString()) ?? []
    if (name !== undefined && request.headers.actions !== undefined) {
      arrivals.set(name, performance.now())
    }
    if (request.method === 'GET') response.write('{"id":"o","event":"open","topic":"x"}\n')
    else response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = isJsonObject(address) ? address.port : 0
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { arrivals, address: `http://127.0.0.1:${port}`, close }
}

/** The time from a request of an assistant to the push with its buttons, of a hundred sessions. */
export const benchWaiting = async (print: (line: string) => void): Promise<void> => {
  const pushes = await servePushes()
  const home = mkdtempSync(join(tmpdir(), 'steward-bench-waiting-'))
  mkdirSync(home, { recursive: true })
  const push = { enabled: true, topic: 'steward-0123456789', server: pushes.address }
  const notifications = { push, thresholds: { waitingSeconds: 0 } }
  writeFileSync(
    join(home, 'settings.json'),
    JSON.stringify({ voice: { provider: 'none' }, notifications }),
  )
  const daemon = await startDaemonProcess(home)
  const authorization = `Bearer ${readFileSync(join(home, 'token'), 'utf8').trim()}`
  const ended = new AbortController()
  const post = (path: string, body: object) =>
    fetch(`${daemon.address}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: ended.signal,
    })
  const asked = new Map<string, number>()
  const ask = (name: string): void => {
    asked.set(name, performance.now())
    // It gets no answer, and is cut at the end.
    post('/hooks/attention', requestOf(name)).catch(() => undefined)
  }
  try {
    await post('/api/attention/devices', { name: 'phone' })
    for (const [label, pauseMs] of [
      ['one after the other', 50],
      ['all at once', 0],
    ] as const) {
      const names = Array.from({ length: SESSIONS }, (_, index) => `${pauseMs}x${index}`)
      for (const name of names) {
        ask(name)
        if (pauseMs > 0) await pause(pauseMs)
      }
      const endMs = performance.now() + LIMIT_MS
      while (names.some((name) => !pushes.arrivals.has(name)) && performance.now() < endMs) {
        await pause(20)
      }
      const taken = names
        .map((name) => (pushes.arrivals.get(name) ?? Number.NaN) - (asked.get(name) ?? 0))
        .toSorted((a, b) => a - b)
      const at = (part: number): string =>
        (taken[Math.floor((taken.length - 1) * part)] ?? Number.NaN).toFixed(0)
      print(`waiting to push, ${SESSIONS} sessions ${label}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
    }
  } finally {
    ended.abort()
    await daemon.stop()
    pushes.close()
    rmSync(home, { recursive: true, force: true })
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const requestOf = (name: string) => ({
  id: `bench-${name}`,
  host: 'claude',
  session_id: `session-${name}`,
  cwd: '/home/u/proj',
  reason: 'permission',
  tool_name: 'Bash',
  preview: '{}',
  detail: `Bash: touch mark-${name}`,
  asked: { decides: true, questions: [], fields: [], takesText: false },
  at: new Date().toISOString(),
  waitMs: 600_000,
})
