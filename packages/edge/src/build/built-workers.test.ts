import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shortName } from '@steward/contract'
import { Miniflare, type WorkerOptions } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { buildSome, LIBRARY } from './testing/build-library.ts'
import type { WranglerConfiguration } from './wrangler-configuration.ts'

const readConfiguration = (directory: string): WranglerConfiguration =>
  JSON.parse(readFileSync(join(directory, 'wrangler.jsonc'), 'utf8').replace(/^\/\/.*\n/, ''))

/** A built worker for the local runtime, from its own files alone. */
const describeWorker = (directory: string): WorkerOptions => {
  const { name, main, ...configuration } = readConfiguration(directory)
  const byName = <Item extends { binding: string }>(
    items: readonly Item[] = [],
    of: (item: Item) => string,
  ) => Object.fromEntries(items.map((item) => [item.binding, of(item)]))
  return {
    name,
    modules: [
      { type: 'ESModule', path: main, contents: readFileSync(join(directory, main), 'utf8') },
    ],
    compatibilityDate: configuration.compatibility_date,
    compatibilityFlags: configuration.compatibility_flags,
    bindings: { AUTH_TOKEN: 'token' },
    serviceBindings: byName(configuration.services, ({ service }) => service),
    kvNamespaces: byName(configuration.kv_namespaces, ({ id }) => id),
    r2Buckets: byName(configuration.r2_buckets, ({ bucket_name }) => bucket_name),
    durableObjects: Object.fromEntries(
      (configuration.durable_objects?.bindings ?? []).map((bound) => [
        bound.name,
        bound.class_name,
      ]),
    ),
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  }
}

const start = async (names: readonly string[]) => {
  const out = await buildSome(LIBRARY, names)
  const miniflare = new Miniflare({
    workers: names.map((name) => describeWorker(join(out, shortName(name)))),
  })
  onTestFinished(() => miniflare.dispose())
  return async (name: string, path: string, init: RequestInit = {}) => {
    const address = await miniflare.unsafeGetDirectURL(`exec-${shortName(name)}`)
    const headers = { authorization: 'Bearer token' }
    const response = await fetch(new URL(path, address), { ...init, headers })
    return { status: response.status, body: await response.json() }
  }
}

test('built workers start on workerd and call each other by their generated bindings', async () => {
  const ask = await start([
    'F_SAMPLE_REFINE',
    'P_REFINE_SUMMARY',
    'A_REFINE_SUMMARY',
    'A_SCORE_SUMMARY',
    'A_FORMAT_MARKDOWN',
  ])
  expect(await ask('A_SCORE_SUMMARY', '/health')).toMatchObject({
    status: 200,
    body: { status: 'ok', action: 'A_SCORE_SUMMARY' },
  })
  expect(await ask('F_SAMPLE_REFINE', '/health')).toMatchObject({
    status: 200,
    body: { status: 'ok', flow: 'F_SAMPLE_REFINE' },
  })
  const content = readFileSync(
    join(LIBRARY, 'flows/sample-texts/The-Long-Memory-of-Ice.txt'),
    'utf8',
  )
  const body = JSON.stringify({ content, title: 'Ice' })
  expect(await ask('P_REFINE_SUMMARY', '/', { method: 'POST', body })).toMatchObject({
    status: 200,
    body: {
      success: true,
      output: { title: 'Ice', summary: expect.any(String), qualityScore: expect.any(Number) },
    },
  })
})

test('a lazily imported package is in the bundle, and not run before', async () => {
  const out = await buildSome(LIBRARY, ['A_SEND_EMAIL'])
  const code = readFileSync(join(out, 'a-send-email', 'index.js'), 'utf8')
  // A part that is loaded on demand is wrapped; one that runs at start is not.
  expect(code).toMatch(/^ +"node_modules\/nodemailer\/[^"]+"\([^)]*\) \{$/m)
  const ask = await start(['A_SEND_EMAIL'])
  const body = JSON.stringify({ to: 'a@example.org', subject: 'Hi', body: 'Text' })
  expect(await ask('A_SEND_EMAIL', '/', { method: 'POST', body })).toMatchObject({
    status: 500,
    body: { code: 'not_configured' },
  })
})

test('a worker of the sandbox tier has its durable object; only the container needs the platform', async () => {
  const ask = await start(['A_EXTRACT_TRANSCRIPT'])
  expect(await ask('A_EXTRACT_TRANSCRIPT', '/health')).toMatchObject({ status: 200 })
  const body = JSON.stringify({ url: 'https://example.org/video' })
  expect(await ask('A_EXTRACT_TRANSCRIPT', '/', { method: 'POST', body })).toMatchObject({
    status: 502,
    body: { error: expect.stringContaining('this worker has no container') },
  })
})

test('only actions that call a model contain the clients of the vendors', async () => {
  const asks = 'A_SUMMARIZE'
  const formats = 'A_FORMAT_MARKDOWN'
  const out = await buildSome(LIBRARY, [asks, formats])
  const codeOf = (name: string) => readFileSync(join(out, shortName(name), 'index.js'), 'utf8')
  expect(codeOf(asks)).toContain('anthropic-version')
  expect(codeOf(formats)).not.toContain('anthropic-version')
  expect(codeOf(formats).length).toBeLessThan(codeOf(asks).length / 1.5)
})
