import { createHmac, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { API, StewardError, type WebhookScheme } from '@steward/contract'
import { signRequest } from '@steward/engine'
import { resolveHome } from '@steward/platform'
import { createTemporaryHome, type TemporaryHome } from '@steward/platform/testing'
import { openLocalRuntime } from '@steward/runner'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createExecutionModule, type ExecutionModule } from './execution-module.ts'
import { openWebhookInbox } from './webhook-inbox.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const NOW = Date.parse('2026-11-16T12:00:00Z')

let home: TemporaryHome
let module: ExecutionModule
let nowMs: number
let lines: string[]

const flowOf = (scheme: WebhookScheme, extra: object = {}) => ({
  id: `flow-${scheme}`,
  name: `F_${scheme.toUpperCase()}_HOOK`,
  source: { type: 'webhook', scheme, secret: 'HOOK_SECRET', title: '$.title' },
  pipeline: 'P_SHOUT',
  destination: { type: 'file', path: `${scheme}.jsonl` },
  schedule: { every: '1h' },
  ...extra,
})

const start = async (): Promise<void> => {
  const say = (line: string) => {
    lines.push(line)
  }
  const log = { info: say, warn: say, error: say }
  module = createExecutionModule({
    open: () =>
      openLocalRuntime({
        env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline', HOOK_SECRET: SECRET },
        homedir: home.path,
        builtIn: `${home.path}/none`,
      }),
    bus: createBus(log),
    notices: { send: async () => ({ stored: true }) },
    log,
    now: () => nowMs,
    setTimer: (_delayMs, action) => {
      const timer = setTimeout(action, 20)
      return () => clearTimeout(timer)
    },
    watchFolder: () => () => undefined,
  })
  await module.start?.()
}

beforeEach(async () => {
  home = createTemporaryHome()
  lines = []
  nowMs = NOW
  home.action('A_SHOUT_TITLE', 'return { shout: String(input.title).toUpperCase() }')
  home.pipeline('P_SHOUT', ['A_SHOUT_TITLE'])
  home.flows(
    ...(['hmac', 'github', 'stripe', 'slack', 'standard'] as const).map((scheme) => flowOf(scheme)),
  )
  await start()
})
afterEach(async () => {
  await module.stop?.()
  home.remove()
})

const send = async (
  flow: string,
  body: string,
  headers: Record<string, string>,
): Promise<unknown> => {
  const handler = module.handlers.find(({ route }) => route === API.receiveWebhook)
  const input = { params: { flow }, query: undefined, body: Buffer.from(body) }
  const signal = new AbortController().signal
  try {
    const answer = await handler?.answer(input, {
      signal,
      header: (name) => headers[name.toLowerCase()],
    })
    return answer instanceof Response ? answer.json() : answer
  } catch (thrown) {
    if (thrown instanceof StewardError) return `${thrown.status} ${thrown.code}: ${thrown.message}`
    throw thrown
  }
}
const sign = async (
  scheme: WebhookScheme,
  body: string,
  id: string = randomUUID(),
): Promise<Record<string, string>> => {
  const bytes = new TextEncoder().encode(body)
  const signed = await signRequest({ scheme }, SECRET, { body: bytes, id, nowMs })
  if (!signed.ok) throw signed.error
  return signed.value
}
const delivered = (scheme: WebhookScheme): { item: string; output: { shout: string } }[] => {
  const file = `${home.path}/OUTPUT/${scheme}.jsonl`
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8').trim()
  return text.split('\n').map((line) => JSON.parse(line))
}
const deliveryOf = (flow: string, id: string): unknown => {
  const handler = module.handlers.find(({ route }) => route === API.getDelivery)
  const call = { signal: new AbortController().signal, header: () => undefined }
  return handler?.answer({ params: { flow, id }, query: undefined, body: undefined }, call)
}

it('runs the flow of an accepted call once, whatever the scheme, and shows the run', async () => {
  for (const scheme of ['hmac', 'github', 'stripe', 'slack', 'standard'] as const) {
    const body = JSON.stringify({ id: `evt-${scheme}`, event_id: 'd-1', title: 'hello' })
    const id = scheme === 'stripe' ? 'evt-stripe' : 'd-1'
    const headers = await sign(scheme, body, 'd-1')
    const name = `F_${scheme.toUpperCase()}_HOOK`
    expect(await send(name, body, headers)).toEqual({
      success: true,
      delivery: id,
      repeated: false,
    })
    expect(await send(name, body, headers)).toEqual({ success: true, delivery: id, repeated: true })
    await expect
      .poll(() => deliveryOf(name, id))
      .toMatchObject({ state: 'done', detail: '1 delivered', run: expect.any(String) })
    expect(await send(name, body, headers)).toMatchObject({ repeated: true })
    expect(delivered(scheme)).toMatchObject([{ item: `evt-${scheme}`, output: { shout: 'HELLO' } }])
  }
  expect(await module.execution.listRuns(10)).toHaveLength(5)
}, 60_000)

it('refuses tampered, stale and replayed calls, and records nothing of them', async () => {
  const body = '{"title":"x"}'
  const name = 'F_STANDARD_HOOK'
  const headers = await sign('standard', body)
  expect(await send(name, '{"title":"y"}', headers)).toContain('401 signature_invalid')
  expect(await send(name, body, { ...headers, 'webhook-id': 'other' })).toContain('another secret')
  expect(await send(name, body, {})).toContain('the signature header is missing')
  nowMs += 301_000
  expect(await send(name, body, headers)).toContain('301 seconds old')
  expect(await send('F_NOWHERE', body, headers)).toContain('404 not_found')
  const github = await sign('github', body, 'g-1')
  expect(await send('F_GITHUB_HOOK', body, github)).toMatchObject({ delivery: 'g-1' })
  const replayed = { ...github, 'x-github-delivery': 'g-2' }
  expect(await send('F_GITHUB_HOOK', body, replayed)).toContain('under another delivery id')
  expect(await send('F_GITHUB_HOOK', '[1', await sign('github', '[1'))).toContain(
    '400 invalid_json',
  )
  await expect.poll(() => deliveryOf('F_GITHUB_HOOK', 'g-1')).toMatchObject({ state: 'done' })
  expect(await module.execution.listRuns(10)).toHaveLength(1)
})

it('answers nothing about a missing secret, and a disabled flow accepts nothing', async () => {
  const body = '{"title":"x"}'
  const source = { type: 'webhook', secret: 'NOT_SET' }
  const schedule = { every: '1h', enabled: false }
  home.flows(flowOf('hmac', { source }), flowOf('github', { schedule }))
  await module.stop?.()
  await start()
  const answer = await send('F_HMAC_HOOK', body, await sign('hmac', body))
  expect(answer).toContain('it cannot be checked')
  expect(lines.join('\n')).toContain('NOT_SET is not set')
  expect(await send('F_GITHUB_HOOK', body, await sign('github', body))).toContain('flow_disabled')
})

it('runs equal bodies of different deliveries, in order, and one at a time', async () => {
  const body = '{"title":"same"}'
  const ids = Array.from({ length: 6 }, (_, index) => `n-${index}`)
  for (const id of ids) await send('F_HMAC_HOOK', body, await sign('hmac', body, id))
  await expect.poll(() => delivered('hmac').length, { timeout: 30_000 }).toBe(6)
  expect(delivered('hmac').map(({ item }) => item)).toEqual(ids)
}, 60_000)

it('answers Slack’s test of the address, and reads its forms', async () => {
  const test = '{"type":"url_verification","challenge":"abc"}'
  expect(await send('F_SLACK_HOOK', test, await sign('slack', test))).toEqual({ challenge: 'abc' })
  const form = 'title=from+a+form&trigger_id=13.37'
  const headers = {
    ...(await sign('slack', form)),
    'content-type': 'application/x-www-form-urlencoded',
  }
  expect(await send('F_SLACK_HOOK', form, headers)).toMatchObject({ delivery: '13.37' })
  await expect.poll(() => delivered('slack')).toMatchObject([{ output: { shout: 'FROM A FORM' } }])
})

it('runs calls that were accepted before the daemon was killed', async () => {
  await module.stop?.()
  const inbox = openWebhookInbox(resolveHome({ STEWARD_HOME: home.path }))
  await inbox.accept('flow-hmac', { id: 'left', body: '{"title":"left"}' }, NOW)
  await inbox.close()
  await start()
  await expect.poll(() => delivered('hmac')).toMatchObject([{ item: 'left' }])
  await expect.poll(() => deliveryOf('F_HMAC_HOOK', 'left')).toMatchObject({ state: 'done' })
})

it('keeps a call while the flow is blocked, and runs it when the mistake is corrected', async () => {
  home.flows(flowOf('hmac', { pipeline: 'P_MISSING' }))
  const body = '{"title":"later"}'
  expect(await send('F_HMAC_HOOK', body, await sign('hmac', body, 'b-1'))).toMatchObject({
    delivery: 'b-1',
  })
  await expect.poll(async () => (await module.execution.listRuns(10)).length).toBeGreaterThan(1)
  expect(deliveryOf('F_HMAC_HOOK', 'b-1')).toMatchObject({ state: 'waiting' })
  home.flows(flowOf('hmac'))
  await expect.poll(() => delivered('hmac')).toMatchObject([{ item: 'b-1' }])
})

it('signs as the documentation of Stripe says', async () => {
  const body = '{"id":"evt_1","title":"paid"}'
  const seconds = NOW / 1000
  const v1 = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex')
  const headers = { 'stripe-signature': `t=${seconds},v1=${v1}` }
  expect(await send('F_STRIPE_HOOK', body, headers)).toMatchObject({ delivery: 'evt_1' })
})
