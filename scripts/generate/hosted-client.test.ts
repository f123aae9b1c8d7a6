import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findHostedRefusal, hostedErrorBody, hostedSettings } from '@steward/contract'
import { createKey, openStore, type RunningHosted, startHosted } from '@steward/hosted'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findCoverage } from './hosted-client-page.ts'
import { type ClientMethod, walkClients } from './walk-client.ts'

let folder: string
let server: RunningHosted
let key: string
let methods: ClientMethod[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-client-'))
  const options = {
    home: folder,
    env: {},
    settings: hostedSettings.parse({}),
    port: 0,
    role: 'api' as const,
    isolation: 'none' as const,
    report: (error: Error) => {
      throw error
    },
  }
  server = await startHosted(options)
  const store = await openStore(options)
  const made = await store.write(() =>
    createKey({ name: 'test', scope: 'admin', nowMs: Date.now() }),
  )
  key = made.secret
  await store.close()
  methods = await walkClients()
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const send = async ({ method, path }: { method: string; path: string }) => {
  const response = await fetch(`${server.address}${path}`, {
    method,
    headers: { 'x-api-key': key, 'anthropic-beta': 'managed-agents-2026-04-01' },
  })
  return { status: response.status, text: await response.text() }
}

test('every method of three client versions works or is refused for a documented reason', () => {
  expect(methods.length).toBeGreaterThan(250)
  expect(methods.filter((method) => findCoverage(method) === undefined)).toEqual([])
  for (const version of ['1.8', '0.137', '0.95'])
    expect(methods.filter(({ versions }) => versions.includes(version)).length).toBeGreaterThan(70)
})

test('the server routes what works, and names what it refuses', async () => {
  for (const method of methods) {
    if (method.request === undefined) continue
    const { status, text } = await send(method.request)
    const refusal = findHostedRefusal(method.request.path)
    if (refusal === undefined) {
      // Without input most calls fail, but as the calls that they are.
      expect(text, method.name).not.toContain(`there is no ${method.request.method} /`)
      expect(status, method.name).toBeLessThan(500)
      continue
    }
    const { error } = hostedErrorBody.parse(JSON.parse(text))
    expect([status, error.type], method.name).toEqual([400, 'invalid_request_error'])
    expect(error.message).toBe(`${refusal.subject}: not available here: ${refusal.reason}`)
  }
})
