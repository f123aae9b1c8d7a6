import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installStandIn } from '../../../packages/assistants/src/acp/testing/install-stand-in.ts'
import { type Cli, createCli } from '../cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts'
import { findMissingBrowser, openBrowser } from '../voice-browser.ts'
import { lookAt } from './look-at.ts'
import { clientOf } from './play-day.ts'
import { openPage, settle, watchPage } from './watch-page.ts'

const missing = findMissingBrowser()
const LONG = Array.from({ length: 400 }, (_, number) => `mark${number}`).join(' ')
const SCRIPT = `say ${LONG}
write a.txt one
say Second words.
write b.txt two
say Third words.
wait`

describe.skipIf(missing !== undefined)('the output of a session that Steward started', () => {
  let browser: Browser
  let cli: Cli
  let daemon: DaemonProcess
  let page: Page

  beforeAll(async () => {
    cli = createCli()
    await installStandIn('claude', { root: cli.home, script: SCRIPT })
    daemon = await startDaemonProcess(cli)
    browser = await openBrowser()
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    const { code } = await clientOf(daemon).call('createAuthCode', { body: {} })
    await page.goto(`${daemon.address}/auth?code=${code}`)
    await settle(page)
  })
  afterAll(async () => {
    await browser?.close()
    await daemon?.kill()
    cli.remove()
  })

  /** The session waits at each permission, so that the test decides when it continues. */
  const allowNext = async (): Promise<void> => {
    const client = clientOf(daemon)
    const waiting = async () => (await client.call('listWaiting')).waiting
    await expect.poll(async () => (await waiting()).length).toBe(1)
    const [asked] = await waiting()
    const body = { decision: 'allow' } as const
    await client.call('answerWaiting', { params: { id: asked?.id ?? '' }, body })
    await expect.poll(async () => (await waiting()).some(({ id }) => id === asked?.id)).toBe(false)
  }
  const distanceToEnd = (box: Locator) =>
    box.evaluate((it) => Math.round(it.scrollHeight - it.scrollTop - it.clientHeight))

  test('appears while it works, follows the end unless the person scrolled up, and survives a reload', async () => {
    const project = join(cli.home, 'project')
    mkdirSync(project)
    const { id } = await clientOf(daemon).call('startSession', {
      body: { assistant: 'claude', project, prompt: 'Read the marks of all gauges' },
    })
    const watch = watchPage(page, daemon.address)
    await openPage(page, `${daemon.address}/agents/sessions/${id}`)
    const box = page.getByRole('log', { name: 'Output of the session' })
    await box.getByText('mark399', { exact: false }).last().waitFor()
    expect(await box.getByText('Second words.').count()).toBe(0)
    await allowNext()
    await box.getByText('Second words.').waitFor()
    await expect.poll(() => distanceToEnd(box)).toBeLessThan(3)
    await page.getByText('live', { exact: true }).waitFor()
    await box.evaluate((it) => it.scrollTo({ top: 0 }))
    const followEnd = page.getByRole('button', { name: 'Follow the end' })
    await followEnd.waitFor()
    await allowNext()
    await box.getByText('Third words.').waitFor()
    expect(await box.evaluate((it) => it.scrollTop)).toBe(0)
    expect(await lookAt(page, 'main')).toEqual([])
    await followEnd.press('Enter')
    await expect.poll(() => distanceToEnd(box)).toBeLessThan(3)
    await page.reload()
    await box.getByText('Third words.').waitFor()
    await box.getByText('Second words.').waitFor()
    await openPage(page, `${daemon.address}/sessions/${id}`)
    await box.getByText('Third words.').waitFor()
    await page.locator('summary').filter({ hasText: 'Output' }).press('Enter')
    await box.waitFor({ state: 'hidden' })
    await clientOf(daemon).call('stopSession', { params: { id }, body: {} })
    await page.getByText('live', { exact: true }).waitFor({ state: 'detached' })
    expect(watch.complaints).toEqual([])
  })
})
