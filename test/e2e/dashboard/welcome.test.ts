import { usageReport } from '@steward/contract'
import { findFreePorts } from '@steward/platform/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts'
import { findMissingBrowser, openBrowser } from '../voice-browser.ts'
import { lookAt, PHONE } from './look-at.ts'
import { clientOf } from './play-day.ts'
import { openPage, settle, watchPage } from './watch-page.ts'

const missing = findMissingBrowser()

describe.skipIf(missing !== undefined)('the first visit', () => {
  let browser: Browser
  let cli: Cli
  let daemon: DaemonProcess

  beforeAll(async () => {
    cli = createCli()
    daemon = await startDaemonProcess(cli, { args: ['--port', String(await findFreePorts(1))] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await clientOf(daemon)
      .call('removeDemo', { body: {} })
      .catch(() => undefined)
    await daemon?.kill()
    cli.remove()
  })

  const signIn = async (): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    const page = await context.newPage()
    const { code } = await clientOf(daemon).call('createAuthCode', { body: {} })
    await page.goto(`${daemon.address}/auth?code=${code}`)
    await settle(page)
    return { context, page }
  }
  const welcomeOf = (page: Page) => page.getByRole('region', { name: 'Welcome' })
  const focusOf = (page: Page) =>
    page.evaluate(() => {
      const { activeElement } = document
      return activeElement?.closest('dialog') === null ? 'outside' : activeElement?.textContent
    })

  test('shows how far the import of the history is, and what the last 30 days cost', async () => {
    const { context, page } = await signIn()
    const watch = watchPage(page, daemon.address)
    const isImporting = { now: true }
    await page.route('**/api/usage?*', async (route) => {
      const answer = await route.fetch()
      const report = usageReport.parse(await answer.json())
      const isMonth = !route.request().url().includes('since=')
      const total = { ...report.total, calls: 40, sessions: 7, cost_usd: 12.5, computed_usd: 12.5 }
      const progress = { done: 120, total: 400, bytes: 3_000_000 }
      await route.fulfill({
        response: answer,
        json: {
          ...report,
          total: isMonth ? total : report.total,
          import: isImporting.now ? progress : null,
        },
      })
    })
    await openPage(page, `${daemon.address}/today`)
    await page.getByText('120 of 400 files').waitFor()
    expect(await lookAt(page, '[role="status"]')).toEqual([])
    await page.getByText('Last 30 days: $12.50 in 7 sessions').waitFor()
    isImporting.now = false
    await page.getByText('120 of 400 files').waitFor({ state: 'detached' })
    expect(watch.complaints).toEqual([])
    // A closed page would dispose of an answer that is being changed.
    await page.unrouteAll({ behavior: 'wait' })
    await context.close()
  })

  test('offers the tour, which is walked by keyboard and not offered again', async () => {
    const { context, page } = await signIn()
    const watch = watchPage(page, daemon.address)
    await welcomeOf(page).waitFor()
    expect(await lookAt(page, '[aria-label="Welcome"]')).toEqual([])
    await welcomeOf(page).getByRole('button', { name: 'Take the tour' }).press('Enter')
    const tour = page.getByRole('dialog')
    await tour.getByRole('heading', { name: 'Today answers four questions' }).waitFor()
    await tour.getByRole('button', { name: 'Next' }).focus()
    for (const title of ['Sessions keep', 'Automations work', 'Security says no', 'Ctrl K finds']) {
      await page.keyboard.press('Enter')
      await tour.getByRole('heading', { name: title }).waitFor()
      expect(await focusOf(page)).toMatch(/Next|Done/)
    }
    await tour.getByText('5 of 5').waitFor()
    await tour.getByRole('button', { name: 'Back' }).focus()
    for (const place of [4, 3, 2, 1]) {
      await page.keyboard.press('Enter')
      await tour.getByText(`${place} of 5`).waitFor()
    }
    expect(await focusOf(page)).toContain('Next')
    for (let count = 0; count < 5; count++) await page.keyboard.press('Enter')
    await tour.waitFor({ state: 'hidden' })
    const opener = page.getByRole('button', { name: 'Take the tour' })
    expect(await opener.evaluate((it) => it.matches(':focus'))).toBe(true)
    await page.reload()
    await settle(page)
    await opener.waitFor()
    expect(await welcomeOf(page).count()).toBe(0)
    expect(watch.complaints).toEqual([])
    await context.close()
  })

  test('stays dismissed, and so does the checklist, until Settings shows it again', async () => {
    const { context, page } = await signIn()
    await welcomeOf(page).getByRole('button', { name: 'Not now' }).press('Enter')
    await welcomeOf(page).waitFor({ state: 'detached' })
    await page.reload()
    await settle(page)
    await page.getByText('Getting started').waitFor()
    expect(await welcomeOf(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Hide', exact: true }).press('Enter')
    await page.reload()
    await settle(page)
    expect(await page.getByText('Getting started').count()).toBe(0)
    await openPage(page, `${daemon.address}/settings`)
    await page.getByRole('button', { name: 'Show the checklist again' }).press('Enter')
    await openPage(page, `${daemon.address}/today`)
    await page.getByText('Getting started').waitFor()
    await context.close()
  })

  test('loads a demo day, whose request is answered on its own Today', async () => {
    const { context, page } = await signIn()
    await welcomeOf(page).getByRole('button', { name: 'Load a demo day' }).press('Enter')
    const { url } = await clientOf(daemon).call('openDemo', { body: {} })
    await page.goto(url)
    await settle(page)
    await page.getByText('git push origin pickup-messages').first().waitFor()
    await page
      .getByRole('link', { name: /^Send customers a message when/ })
      .first()
      .waitFor()
    const allow = page.getByRole('button', { name: 'Allow', exact: true })
    await page.setViewportSize({ ...PHONE, height: 640 })
    const command = await page.locator('pre', { hasText: 'git push origin' }).boundingBox()
    // Also on a screen that ends within the request: a covered command must not be allowed.
    expect((await allow.boundingBox())?.y).toBeGreaterThan(
      (command?.y ?? Number.NaN) + (command?.height ?? 0),
    )
    await allow.press('Enter')
    await allow.waitFor({ state: 'detached' })
    await openPage(page, `${new URL(url).origin}/sessions/demo-claude-orders`)
    await page.getByText('The branch pickup-messages is pushed.').first().waitFor()
    await context.close()
  })
})
