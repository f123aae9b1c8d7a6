import { type LoopbackServer, serveLoopback } from '@steward/platform/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts'
import { findMissingBrowser, openBrowser } from '../voice-browser.ts'
import { DESKTOP } from './look-at.ts'
import { clientOf } from './play-day.ts'
import { openPage, settle, watchPage } from './watch-page.ts'

const TOPIC = 'steward-0123456789abcdef'
const MESSAGE = 'The backup of the gauges is late'

describe.skipIf(findMissingBrowser())('a notification that failed for good', () => {
  let browser: Browser
  let cli: Cli
  let daemon: DaemonProcess
  let service: LoopbackServer
  /** What the push service answers to a message. */
  let status: number
  let received: string[]
  let refused: number

  beforeAll(async () => {
    received = []
    refused = 0
    service = await serveLoopback(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      if (request.method === 'POST' && status === 200) received.push(body)
      else if (request.method === 'POST') refused += 1
      response.writeHead(request.method === 'POST' ? status : 200).end()
    })
    cli = createCli()
    const push = { enabled: true, topic: TOPIC, server: service.url }
    const settings = { voice: { provider: 'none' }, notifications: { push } }
    cli.write('settings.json', JSON.stringify(settings))
    daemon = await startDaemonProcess(cli, { env: { PATH: '/nowhere' } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await daemon?.kill()
    await service.close()
    cli.remove()
  })

  const pushes = async () => {
    const { deliveries } = await clientOf(daemon).call('listDeliveries', { query: {} })
    return deliveries.filter(({ channel }) => channel === 'push')
  }

  test('is sent again from the Failures page once the service accepts it', async () => {
    status = 400
    const body = { message: MESSAGE, kind: 'error' } as const
    await clientOf(daemon).call('notify', { body })
    await expect.poll(pushes).toMatchObject([{ state: 'failed' }])
    const [before] = await pushes()
    const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
    const page = await context.newPage()
    const { complaints } = watchPage(page, daemon.address)
    const { code } = await clientOf(daemon).call('createAuthCode', { body: {} })
    await page.goto(`${daemon.address}/auth?code=${code}`)
    await settle(page)
    await openPage(page, `${daemon.address}/failures`)
    const failed = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { level: 2, name: 'Notifications' }) })
    const again = failed.getByRole('button', { name: 'Send again' })
    await again.waitFor()
    await failed.getByText('HTTP 400', { exact: false }).waitFor()
    await again.click()
    await page.getByText('The notification is sent again.').waitFor()
    // It fails once more: nothing is lost, and the button is there again.
    await expect.poll(() => refused).toBe(2)
    await expect.poll(pushes).toMatchObject([{ id: before?.id, state: 'failed' }])
    await expect.poll(() => again.isEnabled()).toBe(true)
    status = 200
    await again.click()
    await expect.poll(() => received.join()).toContain(MESSAGE)
    await failed.waitFor({ state: 'detached' })
    await page.getByText('Nothing failed in this period.').waitFor()
    expect(await pushes()).toMatchObject([{ id: before?.id, state: 'delivered' }])
    expect(received).toHaveLength(1)
    expect(complaints).toEqual([])
    await context.close()
  })
})
