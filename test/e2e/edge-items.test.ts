import { API, StewardError } from '@steward/contract'
import { type LoopbackServer, serveLoopback } from '@steward/platform/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyBuiltWorkers } from './built-workers.ts'
import { type Cli, createCli, writeAction } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { lookAt } from './dashboard/look-at.ts'
import { clientOf } from './dashboard/play-day.ts'
import { openPage, watchPage } from './dashboard/watch-page.ts'
import { type EdgeProcess, findEdgePort, post, startEdge, TOKEN } from './edge-up-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'
import { findMissingBrowser, openBrowser } from './voice-browser.ts'

const FLOW = 'F_COUNT_TIDES'
const params = { flow: FLOW }
const query = { edge: 'true' } as const
const NONE = { waiting: 0, failing: 0, givenUp: 0, rejected: 0 }

let cli: Cli
let edge: EdgeProcess | undefined
let daemon: DaemonProcess
let receiver: LoopbackServer
let status: number
let received: unknown[]

beforeAll(async () => {
  received = []
  receiver = await serveLoopback(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (status < 300) received.push(JSON.parse(body).item)
    response.writeHead(status).end()
  })
  cli = createCli(CLONE_LAUNCHER)
  await copyBuiltWorkers(cli)
  const fetchSettings = { allowPrivateHosts: [receiver.host] }
  cli.write('settings.json', JSON.stringify({ execution: { fetch: fetchSettings } }))
  writeAction(cli, 'A_COUNT_TIDES', 'export const execute = async () => ({ tides: 2 })\n')
  cli.write(
    'USER/PIPELINES/P_COUNT_TIDES.yaml',
    'name: P_COUNT_TIDES\ndescription: d\nactions: [A_COUNT_TIDES]\n',
  )
  const flow = {
    id: 'tides',
    name: FLOW,
    source: { type: 'webhook', scheme: 'standard', secret: 'HOOK_SECRET' },
    pipeline: 'P_COUNT_TIDES',
    destination: { type: 'api', url: `${receiver.url}/` },
    schedule: { intervalMinutes: 60, enabled: true },
  }
  cli.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows: [flow] }))
  daemon = await startDaemonProcess(cli, { env: { AUTH_TOKEN: TOKEN } })
})
afterAll(async () => {
  await daemon.stop()
  await edge?.stop()
  await receiver.close()
  cli.remove()
})

const listed = async () => (await clientOf(daemon).call('listFlowItems', { params, query })).items
const board = async () => (await clientOf(daemon).call('listEdgeFlows')).flows
const boardOf = async () => (await board()).find(({ name }) => name === FLOW)
const trigger = async (id: string) => {
  const input = { id, content: `the tide ${id}` }
  expect(await edge?.call(FLOW, '/trigger', post(input))).toMatchObject({ status: 202 })
}

test('without a local edge, the daemon says so', async () => {
  expect(await clientOf(daemon).call('listEdgeFlows')).toEqual({ running: false, flows: [] })
  const refused = await listed().catch((thrown: unknown) => thrown)
  expect(refused).toBeInstanceOf(StewardError)
  expect(refused).toMatchObject({
    code: 'not_configured',
    message: expect.stringContaining('the local edge'),
  })
  const here = await clientOf(daemon).call('listFlowItems', { params, query: {} })
  expect(here.items).toEqual([])
})

test('undelivered items of a flow on the local edge are listed and retried through the daemon', async () => {
  const args = ['--port', String(await findEdgePort())]
  edge = await startEdge(cli, { args, env: { HOOK_SECRET: `whsec_${btoa('of the sender')}` } })
  expect(await boardOf()).toEqual({ name: FLOW, blocked: null, open: NONE, problem: null })
  // Its worker has no route for items.
  expect(await board()).toContainEqual(
    expect.objectContaining({ name: 'F_FEEDS_POLLER', open: null }),
  )
  status = 500
  await trigger('monday')
  await expect.poll(boardOf).toMatchObject({ open: { waiting: 1 } })
  await expect
    .poll(listed)
    .toMatchObject([{ state: 'waiting', error: expect.stringMatching(/500/) }])
  // The same as the command line lists.
  const env = { AUTH_TOKEN: TOKEN }
  const printed = await cli.json(['flows', 'items', FLOW, '--edge', '--json'], { env })
  expect(printed).toEqual({ items: await listed() })
  const retry = API.retryFlowItems.path.replace(':flow', FLOW)
  const headers = { 'content-type': 'application/json' }
  const anyone = await daemon.fetch(`${retry}?edge=true`, { ...post({}), headers })
  expect(anyone.status).toBe(401)
  status = 200
  const [item] = await listed()
  const body = { items: [item?.id ?? ''] }
  await clientOf(daemon).call('retryFlowItems', { params, query, body })
  await expect.poll(listed).toMatchObject([{ state: 'delivered', error: null }])
  expect(received).toHaveLength(1)
  const again = clientOf(daemon).call('retryFlowItems', { params, query, body: {} })
  await expect(again).rejects.toMatchObject({ code: 'not_found' })
  const unknown = { params: { flow: 'F_NOWHERE' }, query }
  await expect(clientOf(daemon).call('listFlowItems', unknown)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('local edge'),
  })
})

test.skipIf(findMissingBrowser())('the Automations page lists and retries them', async () => {
  status = 401
  await trigger('tuesday')
  await expect.poll(boardOf).toMatchObject({ blocked: { reason: expect.stringContaining('401') } })
  const browser: Browser = await openBrowser()
  try {
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    const { complaints } = watchPage(page, daemon.address)
    const { code } = await clientOf(daemon).call('createAuthCode', { body: {} })
    await page.goto(`${daemon.address}/auth?code=${code}`)
    await openPage(page, `${daemon.address}/flows`)
    const card = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { level: 2, name: 'On the local edge' }) })
    await card.getByText('Items: 1 waiting').waitFor()
    await card.getByText(/^Blocked: .*401/).waitFor()
    expect(await lookAt(page)).toEqual([])
    await card.getByRole('link', { name: FLOW }).click()
    await page.getByRole('heading', { level: 2, name: 'Items on the local edge' }).waitFor()
    await page.getByRole('button', { name: /^Retry tuesday/ }).waitFor()
    expect(await lookAt(page)).toEqual([])
    status = 200
    await page.goBack()
    await card.getByRole('button', { name: `Retry undelivered items of ${FLOW} on the` }).click()
    await page.getByText('The items are tried again on the local edge.').waitFor()
    await card
      .getByText(/^Nothing waits, is blocked or was given up in its \d+ flows?\.$/)
      .waitFor()
    expect(received).toHaveLength(2)
    await edge?.stop()
    edge = undefined
    await card.getByText('The local edge does not run here.', { exact: false }).waitFor()
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
})
