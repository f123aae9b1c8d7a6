import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Daemon, startDaemon } from '@steward/daemon'
import { createTemporaryHome, type TemporaryHome } from '@steward/platform/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let home: TemporaryHome
let daemon: Daemon | undefined

const run = async (...args: string[]) => {
  const env = { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline', PATH: process.env.PATH }
  const io = memoryIo({ args, env, homedir: home.path, cwd: home.path, now: Date.now })
  return { code: await runCli(io), out: io.out.text(), err: io.err.text() }
}
const flowOf = (scheme: string) => ({
  id: scheme,
  name: `F_${scheme.toUpperCase()}_HOOK`,
  source: { type: 'webhook', scheme, secret: 'HOOK_SECRET', items: '$.data.item' },
  pipeline: 'P_MARK',
  destination: { type: 'file', path: 'out.jsonl' },
  schedule: { every: '1h', runsOn: 'here' },
})

beforeEach(async () => {
  home = createTemporaryHome()
  home.action('A_MARK_ITEM', 'return { marked: true }')
  home.pipeline('P_MARK', ['A_MARK_ITEM'])
  home.flows(...['hmac', 'github', 'stripe', 'slack', 'standard'].map(flowOf))
  home.write('.env', 'HOOK_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n')
  daemon = await startDaemon({
    env: { LLM_PROVIDER: 'offline', PATH: process.env.PATH },
    homedir: home.path,
    home: home.path,
    port: 0,
    library: join(home.path, 'none'),
    dashboard: join(home.path, 'no-dashboard'),
    write: () => undefined,
    writeOut: () => undefined,
  })
})
afterEach(async () => {
  await daemon?.stop()
  home.remove()
})

test('a test call of every scheme is accepted by the daemon and runs the flow', async () => {
  for (const scheme of ['hmac', 'github', 'stripe', 'slack', 'standard']) {
    const { code, out, err } = await run('webhooks', 'test', `F_${scheme.toUpperCase()}_HOOK`)
    expect(err).toBe('')
    expect(out).toContain('answer 202: {"success":true')
    expect(out).toMatch(/run \S+: 1 delivered/)
    expect(code).toBe(0)
  }
  const delivered = readFileSync(join(home.path, 'OUTPUT/out.jsonl'), 'utf8').trim().split('\n')
  expect(delivered).toHaveLength(5)

  const again = ['webhooks', 'test', 'F_GITHUB_HOOK', '--id', 'g-1', '--json']
  expect(JSON.parse((await run(...again)).out)).toMatchObject({ answer: { repeated: false } })
  expect(JSON.parse((await run(...again)).out)).toMatchObject({ answer: { repeated: true } })

  const listed = await run('webhooks')
  expect(listed.out).toContain(`${daemon?.address}/webhooks/F_SLACK_HOOK`)
  const unknown = await run('webhooks', 'test', 'F_GITHUB_HOK')
  expect(unknown.err).toContain('did you mean F_GITHUB_HOOK?')

  // Without a signature, over HTTP, with any content type.
  const refused = await fetch(`${daemon?.address}/webhooks/F_SLACK_HOOK`, {
    method: 'POST',
    body: 'title=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(refused.status).toBe(401)
  const browser = await fetch(`${daemon?.address}/webhooks/F_SLACK_HOOK`, {
    method: 'POST',
    body: 'x',
    headers: { origin: 'https://example.com' },
  })
  expect(browser.status).toBe(403)
}, 120_000)
