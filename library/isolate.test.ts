import { readFileSync } from 'node:fs'
import { builtinModules, createRequire } from 'node:module'
import { join } from 'node:path'
import { tierOf } from '@steward/contract'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { LIBRARY, readActions } from './lib/testing/read-library.ts'
import { serveSmtp } from './lib/testing/serve-smtp.ts'

// The workerd that the edge package pins; a parent folder may have another one.
const { Miniflare } = createRequire(new URL('../packages/edge/package.json', import.meta.url))(
  'miniflare',
)

interface Worker {
  dispatchFetch: (url: string, init: RequestInit) => Promise<Response>
  dispose: () => Promise<void>
}

const actions = [...(await readActions()).values()]
const isolated = actions.flatMap(({ manifest }) =>
  tierOf(manifest) === 'isolate' ? [manifest.name] : [],
)

/** A worker with all isolate actions: POST /NAME runs one on the given input. */
const ENTRY = `
${isolated.map((name) => `import * as ${name} from './actions/${name}/action.ts'`).join('\n')}
const actions = { ${isolated.join(', ')} }
const llm = async () => ({
  text: '', usage: { input: 0, output: 0 }, cost: 0, model: 'scripted', provider: 'offline',
  json: { summary: 'Said.', key_points: ['Point.'], one_sentence_summary: 'Said.', labels: ['ai'], rating: 'A', quality_score: 75 },
})
export default {
  async fetch(request, env) {
    const context = {
      capabilities: { llm, fetch },
      env: { mode: 'cloud', secrets: [] },
      secret: (name) => env[name],
      signal: request.signal,
      now: () => new Date(0),
      trace: { runId: 'run-1', step: 0 },
      log: () => undefined,
    }
    try {
      const name = new URL(request.url).pathname.slice(1)
      return Response.json(await actions[name].execute(await request.json(), context))
    } catch (error) {
      return Response.json({ error: String(error), code: error.code }, { status: 500 })
    }
  },
}`

const startWorker = async (bindings: Record<string, string> = {}) => {
  const bundled = await build({
    stdin: { contents: ENTRY, resolveDir: LIBRARY, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker'],
    external: [...builtinModules, 'node:*'],
    logLevel: 'error',
  })
  const worker: Worker = new Miniflare({
    workers: [
      {
        name: 'library',
        modules: true,
        script: bundled.outputFiles[0]?.text ?? '',
        compatibilityDate: '2026-01-01',
        compatibilityFlags: ['nodejs_compat'],
        bindings,
      },
    ],
  })
  onTestFinished(() => worker.dispose())
  return async (name: string, input: object): Promise<unknown> => {
    const body = JSON.stringify(input)
    const response = await worker.dispatchFetch(`http://worker/${name}`, { method: 'POST', body })
    return response.json()
  }
}

test('the isolate actions run in workerd as they are', async () => {
  const run = await startWorker()
  const content = readFileSync(
    join(LIBRARY, 'flows/sample-texts/The-Long-Memory-of-Ice.txt'),
    'utf8',
  )
  const page = `<!doctype html><html><head><title>Ice</title></head><body><nav>Menu</nav><article><h1>Ice</h1>${content
    .split('\n\n')
    .map((paragraph) => `<p>${paragraph}</p>`)
    .join('')}</article></body></html>`
  expect(await run('A_EXTRACT_ARTICLE', { html: page })).toMatchObject({
    title: 'Ice',
    content: content.trim(),
  })
  expect(await run('A_LABEL_AND_RATE', { content })).toMatchObject({ rating: 'A' })
  expect(await run('A_SUMMARIZE', { content })).toMatchObject({ summary: 'Said.' })
  expect(await run('A_REFINE_SUMMARY', { content })).toEqual({ summary: 'Said.' })
  expect(await run('A_SCORE_SUMMARY', { content, summary: content })).toMatchObject({
    missing_terms: [],
  })
  expect(await run('A_FORMAT_MARKDOWN', { title: 'T', summary: 'S' })).toMatchObject({
    body: '## T\n\nS\n',
  })
})

test('mail is sent from an isolate by SMTP too, and missing settings are reported', async () => {
  const mail = { to: 'a@example.org', subject: 'Hi', body: 'Text', from: 'b@example.net' }
  const unset = await startWorker()
  expect(await unset('A_SEND_EMAIL', mail)).toMatchObject({ code: 'not_configured' })
  const { mails, url } = await serveSmtp()
  const run = await startWorker({ SMTP_URL: url })
  expect(await run('A_SEND_EMAIL', mail)).toEqual({
    success: true,
    message_id: '<run-1.0@example.net>',
  })
  expect(mails).toMatchObject([{ to: ['a@example.org'], raw: expect.stringContaining('Text') }])
})
